import type { AdsAccount } from '../world/ads-tree.ts';
import { invalid } from './failure.ts';
import { fits, type Query } from './gaql.ts';
import { place, type SentRow } from './send-rows.ts';
import { MANAGER_ID, MANAGER_NAME, PLACES } from './world.ts';

type Fields = Record<string, string | boolean | undefined>;

/** The accounts below a manager and itself, or an account of its own. */
export function clientRows(
  query: Query,
  root: AdsAccount | 'manager',
  accounts: readonly AdsAccount[],
): SentRow[] {
  const manager: Fields = {
    id: MANAGER_ID,
    descriptive_name: MANAGER_NAME,
    manager: true,
    level: '0',
    status: 'ENABLED',
    currency_code: 'KRW',
    time_zone: 'Asia/Seoul',
  };
  const clients = root === 'manager' ? accounts : [root];
  const level = root === 'manager' ? '1' : '0';
  const rows = clients.map(({ id, name, currency, zone, isClosed }) => ({
    id,
    descriptive_name: name,
    manager: false,
    level,
    status: isClosed ? 'CANCELED' : 'ENABLED',
    currency_code: currency,
    time_zone: zone.name,
  }));
  const all: Fields[] = root === 'manager' ? [manager, ...rows] : rows;
  const cid = root === 'manager' ? MANAGER_ID : root.id;
  return tableRows(query, all, ({ id }) => ({
    resource_name: `customers/${cid}/customerClients/${id}`,
    client_customer: `customers/${id}`,
  }));
}

/** The places that are known by name. */
export function placeRows(query: Query): SentRow[] {
  const rows = Object.entries(PLACES).map(([id, { name, canonicalName, countryCode }]) => ({
    id,
    name,
    canonical_name: canonicalName,
    country_code: countryCode,
    target_type: 'Region',
    status: 'ENABLED',
  }));
  return tableRows(query, rows, ({ id }) => ({ resource_name: `geoTargetConstants/${id}` }));
}

/** Rows of a resource without metrics that is one plain table. */
function tableRows(
  { select, from, where, limit }: Query,
  rows: readonly Fields[],
  more: (row: Fields) => Fields,
): SentRow[] {
  const full = rows.map((row): Fields => ({ ...more(row), ...row }));
  const fieldValue = (row: Fields, field: string) => {
    const [head, name = '', ...tail] = field.split('.');
    const isKnown = head === from && tail.length === 0 && name in (full[0] ?? {});
    if (isKnown) return row[name];
    throw invalid(
      { queryError: 'UNRECOGNIZED_FIELD' },
      `Unrecognized field in the query: '${field}'.`,
    );
  };
  return full
    .filter((row) => where.every((one) => fits(one, fieldValue(row, one.field))))
    .slice(0, limit)
    .map((row) => {
      const sent: SentRow = {};
      place(sent, `${from}.resource_name`, row.resource_name);
      // A flag that is not set is left out.
      for (const field of select) place(sent, field, fieldValue(row, field) || undefined);
      return sent;
    });
}
