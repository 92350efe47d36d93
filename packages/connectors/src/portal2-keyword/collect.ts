import { FatalError, RetryableError } from '@tributary/runtime';
import {
  FIRST_FIGURE,
  type Level,
  type ObservationRow,
  type Observed,
  type Part,
  type SetId,
} from '@tributary/shared';
import type { CollectRequest } from '../connector.ts';
import type { Portal2Client } from '../portal2/client.ts';
import type { Portal2Credentials, ProviderReportRow } from '../portal2/schema.ts';
import { mergeRows } from '../rows.ts';
import type { DeliveringCampaigns } from './delivering-campaigns.ts';
import type { KeywordBook } from './keyword-book.ts';
import { DIMENSION_NAMES, keywordIdOf, normalizeRow, type ReportScope } from './normalize.ts';
import { ALL_GROUPS, DELIVERY_GROUPS, type ReportQuestion, readReport } from './report.ts';
import type { KeywordSettings } from './schema.ts';

export interface CollectDeps {
  campaigns: DeliveringCampaigns;
  book: KeywordBook;
}

type Request = CollectRequest<Portal2Credentials, KeywordSettings>;

const REPORT_PATHS: Readonly<Record<Level, string>> = {
  a: 'adAccounts/report',
  c: 'campaigns/report',
  g: 'adGroups/report',
  d: 'creatives/report',
};
const WINDOW_DAYS = 7;

/** The rows of one source over the window; see {@link Connector.collect}. Below the campaigns one report for each. */
export async function* collectReports(
  client: Portal2Client,
  deps: CollectDeps,
  request: Request,
): AsyncGenerator<Observed[]> {
  const { link, account, from, to, settings } = request;
  const set = setOf(request);
  const [level, part] = partsOf(set);
  const dimension = dimensionOf(part, settings);
  const { conversionWindowDays = WINDOW_DAYS } = settings;
  const window = { link, account: account.id, from, to };
  const asked =
    level === 'g' || level === 'd' ? await deps.campaigns.find(client, window) : [undefined];
  const keys = new Set<string>();
  for (const campaign of asked) {
    const rows = await askPlatform(client, part, {
      path: part === 'keyword' ? 'keywords/report' : REPORT_PATHS[level],
      account: account.id,
      from,
      to,
      timeUnit: 'DAY',
      metricsGroups: level === 'a' ? DELIVERY_GROUPS : ALL_GROUPS,
      dimension,
      campaign,
    });
    const keywords =
      part === 'keyword' && campaign !== undefined
        ? await deps.book.lookUp(client, { ...window, campaign }, rows.map(keywordIdOf))
        : new Map();
    const place = { account: account.id, from, to, level, part, dimension, campaign };
    const observed = observe(rows, { ...place, conversionWindowDays, keywords }, { set, keys });
    if (observed.length > 0) yield observed;
  }
}

function setOf({ source }: Request): SetId {
  const [fill] = source.fills;
  if (!fill) throw new TypeError(`The source '${source.id}' fills nothing`);
  return fill.from;
}

function partsOf(set: SetId): [Level, Part] {
  return set.split('-') as [Level, Part]; // the blog's set fills no source of this channel
}

function dimensionOf(part: Part, { dimensions = {} }: KeywordSettings): string | undefined {
  if (part !== 'device' && part !== 'hour' && part !== 'placement') return undefined;
  return dimensions[part] ?? DIMENSION_NAMES[part];
}

/** A refused dimension is most likely one of another name: a person can find that out. */
async function askPlatform(client: Portal2Client, part: Part, question: ReportQuestion) {
  try {
    return await readReport(client, question);
  } catch (error) {
    const { dimension } = question;
    const isRefused = error instanceof FatalError && error.code === 'bad_request';
    if (dimension === undefined || !isRefused) throw error;
    const text = `The platform may call the dimension otherwise than '${dimension}': name it in settings.dimensions.${part}.`;
    throw new FatalError('dimension_refused', `${error.message} ${text}`, { cause: error });
  }
}

/** All rows of one answer, checked before any is given out; different values of one word are added up. */
function observe(
  rows: readonly ProviderReportRow[],
  scope: ReportScope,
  { set, keys }: { set: SetId; keys: Set<string> },
): Observed[] {
  const days = new Map<string, Map<string, ObservationRow>>();
  for (const told of rows) {
    const one = normalizeRow(told, scope);
    if (!one) continue;
    if (keys.has(one.key)) {
      const text = `The row '${one.key}' came twice: nothing of it is used`;
      throw new RetryableError('duplicate_row', text);
    }
    keys.add(one.key);
    const ofDay = days.get(one.day) ?? new Map<string, ObservationRow>();
    const place = JSON.stringify(one.row.slice(0, FIRST_FIGURE));
    const earlier = ofDay.get(place);
    ofDay.set(place, earlier ? mergeRows(earlier, one.row) : one.row);
    days.set(one.day, ofDay);
  }
  return [...days].map(([day, ofDay]) => ({ day, set, rows: [...ofDay.values()] }));
}
