import { type Clock, RetryableError } from '@tributary/runtime';
import { type Figures, type Observed, outlivedMetrics } from '@tributary/shared';
import type { SearchAdClient } from './client.ts';
import { deleteJobs } from './delete-jobs.ts';
import { finishReports, type JobPatience, type ReportFile, type SearchAdRequest } from './jobs.ts';
import type { ReportType } from './layouts.ts';
import type { Names } from './names.ts';
import { malformedRow, type ReportRow, readReportRow } from './report-row.ts';
import type { Room } from './room.ts';
import { createSeenKeys } from './seen-keys.ts';
import { createTables, type TablePlace, type Tables } from './tables.ts';
import { ageOf, deviceOf, genderOf, hourOf, isNone, regionOf } from './words.ts';

/** How the rows of one source's files become ours. */
interface Reading {
  delivery: ReportType;
  sales: ReportType;
  places(row: ReportRow): TablePlace[];
}

const READINGS: Readonly<Record<string, Reading>> = {
  ad: { delivery: 'AD', sales: 'AD_CONVERSION', places: adPlaces },
  detail: { delivery: 'AD_DETAIL', sales: 'AD_CONVERSION_DETAIL', places: detailPlaces },
  criterion: { delivery: 'CRITERION', sales: 'CRITERION_CONVERSION', places: criterionPlaces },
};

export interface CollectOptions {
  clock: Clock;
  names: Names;
  room: Room;
  patience: JobPatience;
}

/**
 * The rows of one source and day; see {@link Connector.collect}. A file is read as it comes and summed up: nothing is given
 * out before both files were read to their ends.
 */
export async function* collectReports(
  client: SearchAdClient,
  request: SearchAdRequest,
  { clock, names, room, patience }: CollectOptions,
): AsyncGenerator<Observed[]> {
  const { source, from, account } = request;
  const reading = READINGS[source.id];
  if (!reading) throw new TypeError(`The source '${source.id}' is no pair of files`);
  const moment = { at: clock.now(), zone: account.zone };
  const hasSales = outlivedMetrics(source, from, moment).length === 0;
  const types = hasSales ? [reading.delivery, reading.sales] : [reading.delivery];
  const files = await finishReports(client, request, { types, room, patience });
  const tables = createTables();
  const ids = files.map(({ id }) => id);
  for (const file of files) {
    try {
      await readFile(client, request, { file, reading, tables, hasSales });
    } catch (error) {
      // The same file would be as bad the next time.
      if (isBroken(error)) await deleteJobs(client, ids);
      throw error;
    }
  }
  if (source.id !== 'criterion') learnCampaigns(tables, names);
  yield* tables.rows(from, await renamer(client, source.id, { tables, names }));
  await deleteJobs(client, ids);
}

interface FileReading {
  file: ReportFile;
  reading: Reading;
  tables: Tables;
  hasSales: boolean;
}

async function readFile(
  client: SearchAdClient,
  { account, from, settings }: SearchAdRequest,
  { file: { type, download }, reading, tables, hasSales }: FileReading,
): Promise<void> {
  if (!download) return;
  const scope = { type, account: account.id, day: from };
  const kinds = conversionKinds(settings.conversionKinds);
  const keys = createSeenKeys();
  let rows = 0;
  await client.lines(download, (lines) => {
    for (const line of lines) {
      const row = readReportRow(line, scope);
      keys.add(row.key);
      rows += 1;
      const figures = figuresOf(type, row, { kinds, hasSales });
      if (figures) for (const place of reading.places(row)) tables.add(place, figures);
    }
  });
  // A day without figures is NONE and has no file.
  if (rows === 0) throw malformedRow(type, 'file', 'nothing', 'a row');
}

function isBroken(error: unknown): boolean {
  return error instanceof RetryableError && ['malformed_row', 'duplicate_row'].includes(error.code);
}

/** Until July 2024 the files told purchases as the kind 1. */
function conversionKinds(kinds: readonly string[]): ReadonlySet<string> {
  return new Set(kinds.flatMap((kind) => (kind === 'purchase' ? [kind, '1'] : [kind])));
}

/** undefined for a conversion of a kind that does not count. Direct and indirect ones count alike. */
function figuresOf(
  type: ReportType,
  { figures }: ReportRow,
  { kinds, hasSales }: { kinds: ReadonlySet<string>; hasSales: boolean },
): Figures | undefined {
  if ('spend' in figures) {
    const { impressions, clicks, spend } = figures;
    const none = hasSales ? 0 : null;
    return [impressions, clicks, none, none, spend, null, null];
  }
  const { method, conversions, amount } = figures;
  if (method !== '1' && method !== '2') throw malformedRow(type, 'method', method, '1 or 2');
  return kinds.has(figures.type) ? [0, 0, conversions, amount, 0, null, null] : undefined;
}

function adPlaces({ campaign, group, ad, keyword, device }: ReportRow): TablePlace[] {
  const list = { campaign, group, ad: '' };
  return [
    { ...list, set: 'd-base', ad, value: '' },
    { ...list, set: 'g-device', value: deviceOf(device) },
    ...(isNone(keyword) ? [] : [{ ...list, set: 'g-keyword', value: keyword } as const]),
  ];
}

/** Regions keep their code until their names are known. */
function detailPlaces({ campaign, group, hour, region }: ReportRow): TablePlace[] {
  const list = { campaign, group, ad: '' };
  const told = hourOf(hour);
  return [
    ...(told === undefined ? [] : [{ ...list, set: 'g-hour', value: told } as const]),
    { ...list, set: 'g-region', value: region },
  ];
}

/** Other targets than age and gender fill no list; the campaign is found by the ad group. */
function criterionPlaces({ criterion }: ReportRow): TablePlace[] {
  const [group = '', code = ''] = criterion.split('~');
  if (!/^grp-\S+$/.test(group) || code === '') {
    throw malformedRow('CRITERION', 'criterion', criterion, 'an ad group and a code');
  }
  const list = { campaign: '', group, ad: '' };
  if (code.startsWith('AG')) return [{ ...list, set: 'g-age', value: ageOf(code) }];
  if (code.startsWith('GN')) return [{ ...list, set: 'g-gender', value: genderOf(code) }];
  return [];
}

function learnCampaigns(tables: Tables, names: Names): void {
  for (const { group, campaign } of tables.places()) names.learnCampaign(group, campaign);
}

type Rename = (place: TablePlace) => TablePlace | undefined;

/** Puts names in the place of ids, and ad groups below their campaigns. */
async function renamer(
  client: SearchAdClient,
  source: string,
  { tables, names }: { tables: Tables; names: Names },
): Promise<Rename> {
  const places = [...tables.places()];
  if (source === 'detail') {
    const regions = places.length > 0 ? await names.regions(client) : new Map<string, string>();
    return (place) => {
      if (place.set !== 'g-region') return place;
      const value = regionOf(place.value, regions);
      return value === undefined ? undefined : { ...place, value };
    };
  }
  if (source === 'criterion') {
    const campaigns = await names.campaigns(
      client,
      places.map(({ group }) => group),
    );
    return (place) => {
      const campaign = campaigns.get(place.group);
      return campaign === undefined ? undefined : { ...place, campaign };
    };
  }
  const keywords = places.filter(({ set }) => set === 'g-keyword').map(({ value }) => value);
  const told = await names.keywords(client, keywords);
  return (place) =>
    place.set === 'g-keyword' ? { ...place, value: told.get(place.value) ?? place.value } : place;
}
