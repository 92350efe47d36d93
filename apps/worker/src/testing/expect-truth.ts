import { constants, inflateRawSync } from 'node:zlib';
import { type AuthorizedLink, type Database, findAdDays, findStatDays } from '@tributary/database';
import {
  CHANNELS,
  type ChannelType,
  type Day,
  decimalFromMicros,
  type Exact,
  fillOf,
} from '@tributary/shared';

/** Figures as the sandbox's README describes them: decimal strings, null where the channel has none. */
type TruthFigures = Record<string, string | null>;
interface TruthDay {
  date: Day;
  entity: string;
  total: TruthFigures;
  lists: Record<string, ({ value: string } & TruthFigures)[]>;
  unattributed: Record<string, TruthFigures>;
}
interface TreeNode {
  id: string;
  isClosed?: boolean;
  campaigns?: TreeNode[];
  adGroups?: TreeNode[];
  ads?: TreeNode[];
}
type DataObject = Record<string, number | null>;
type StoredDay = { date: Day; total: DataObject } & Record<string, unknown>;

/** What is compared: the stored days of one link with what its simulated platform knows. */
export interface TruthCheck {
  db: Database;
  channel: ChannelType;
  link: AuthorizedLink;
  /** The simulated platforms' address. */
  sandbox: string;
  /** The accounts of the link; default: all that the simulated platform has open. */
  accounts?: readonly string[];
  from: Day;
  to: Day;
}

const METRICS = [
  'impressions',
  'clicks',
  'conversions',
  'amount',
  'spend',
  'reach',
  'rimp',
] as const;
const MICROS: ReadonlySet<string> = new Set(['conversions', 'amount', 'spend']);
const LEVELS = [
  { level: 'account', letter: 'a' },
  { level: 'campaign', letter: 'c' },
  { level: 'adGroup', letter: 'g' },
] as const;

/**
 * Compares every stored day with the truth: each account, campaign, ad group and ad, the totals and every list entry.
 *
 * @returns how many data objects were compared, and the first differences
 */
export async function compareWithTruth(
  check: TruthCheck,
): Promise<{ compared: number; differences: string[] }> {
  const seen = createDifferences();
  const { accounts } = await ask<{ accounts: TreeNode[] }>(check, 'tree', {});
  const own = check.accounts ?? accounts.filter(({ isClosed }) => !isClosed).map(({ id }) => id);
  for (const account of accounts.filter(({ id }) => own.includes(id))) {
    for (const { level, letter } of LEVELS) {
      if (!fillOf(CHANNELS[check.channel], letter, 'base')) continue;
      const truth = await truthOf(check, account.id, level);
      for (const id of idsOf(account, letter)) {
        for (const stored of await storedDays(check, letter, id)) {
          compareDay(
            seen,
            `${level} ${id} ${stored.date}`,
            stored,
            truth.get(`${id} ${stored.date}`),
          );
          truth.delete(`${id} ${stored.date}`);
        }
      }
      for (const key of truth.keys()) seen.compare(`${level} ${key}`, 'absent', 'delivery');
    }
    await compareAds(seen, check, account);
  }
  return seen.result();
}

function createDifferences() {
  let compared = 0;
  const differences: string[] = [];
  return {
    compare(place: string, stored: string, truth: string) {
      compared += 1;
      if (stored !== truth && differences.length < 20) {
        differences.push(`${place}: stored [${stored}], truth [${truth}]`);
      }
    },
    result: () => ({ compared, differences }),
  };
}
type Differences = ReturnType<typeof createDifferences>;

function compareDay(seen: Differences, place: string, stored: StoredDay, truth?: TruthDay): void {
  const { date, total, ...lists } = stored;
  seen.compare(`${place} total`, textOf(total), truth ? textOf(truth.total) : 'nothing');
  for (const [list, entries] of Object.entries(lists)) {
    const given = new Map(
      (entries as Record<string, unknown>[]).map((entry) => [
        String(entry[list]),
        textOf(entry.data as DataObject), // the shape of a breakdown entry
      ]),
    );
    const wanted = new Map(
      (truth?.lists[list] ?? []).map(({ value, ...figures }) => [value, textOf(figures)]),
    );
    const rest = truth?.unattributed[list];
    if (rest) wanted.set('unattributed', textOf(rest));
    for (const value of new Set([...given.keys(), ...wanted.keys()])) {
      const pair = [given.get(value) ?? 'absent', wanted.get(value) ?? 'absent'] as const;
      seen.compare(`${place} ${list}=${value}`, ...pair);
    }
  }
}

async function compareAds(seen: Differences, check: TruthCheck, account: TreeNode): Promise<void> {
  const { db, link, from, to } = check;
  const truth = await truthOf(check, account.id, 'ad');
  for (const ad of idsOf(account, 'd')) {
    for (const [day, figures] of await findAdDays(db, link, { ad, from, to })) {
      const [impressions, clicks, conversions, amount, spend, rimp, reach] = figures;
      const stored = { impressions, clicks, conversions, amount, spend, rimp, reach };
      const wanted = truth.get(`${ad} ${day}`);
      seen.compare(`ad ${ad} ${day}`, exactText(stored), wanted ? textOf(wanted.total) : 'nothing');
      truth.delete(`${ad} ${day}`);
    }
  }
  for (const key of truth.keys()) seen.compare(`ad ${key}`, 'absent', 'delivery');
}

function textOf(figures: DataObject | TruthFigures): string {
  return METRICS.map((metric) => String(figures[metric] ?? null)).join(' ');
}

function exactText(figures: Record<(typeof METRICS)[number], Exact | null>): string {
  return METRICS.map((metric) => {
    const value = figures[metric];
    return value !== null && MICROS.has(metric) ? decimalFromMicros(value) : String(value);
  }).join(' ');
}

async function storedDays(
  { db, link, from, to }: TruthCheck,
  level: 'a' | 'c' | 'g',
  entity: string,
): Promise<StoredDay[]> {
  const days = await findStatDays(db, link, { level, entity, from, to });
  return days.map(({ z }) => {
    const text = inflateRawSync(z, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');
    return JSON.parse(text) as StoredDay; // written by sealing
  });
}

function idsOf(account: TreeNode, letter: 'a' | 'c' | 'g' | 'd'): string[] {
  const campaigns = account.campaigns ?? [];
  const adGroups = campaigns.flatMap((campaign) => campaign.adGroups ?? []);
  const ads = adGroups.flatMap((adGroup) => adGroup.ads ?? []);
  return { a: [account], c: campaigns, g: adGroups, d: ads }[letter].map(({ id }) => id);
}

async function truthOf(
  check: TruthCheck,
  account: string,
  level: string,
): Promise<Map<string, TruthDay>> {
  const query = { account, level, start: check.from, end: check.to };
  const { days } = await ask<{ days: TruthDay[] }>(check, 'truth', query);
  return new Map(days.map((day) => [`${day.entity} ${day.date}`, day]));
}

async function ask<T>(
  { sandbox, channel }: TruthCheck,
  path: string,
  query: Record<string, string>,
): Promise<T> {
  const url = new URL(`${sandbox}/__sandbox/${path}`);
  url.search = new URLSearchParams({ channel, ...query }).toString();
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T; // the sandbox's README tells the shapes
}
