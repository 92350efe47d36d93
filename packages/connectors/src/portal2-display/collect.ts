import { type Clock, RetryableError } from '@tributary/runtime';
import {
  type Day,
  dayAt,
  FIRST_FIGURE,
  type ObservationRow,
  type Observed,
} from '@tributary/shared';
import type { CollectRequest } from '../connector.ts';
import type { Portal2Client } from '../portal2/client.ts';
import { compactDay } from '../portal2/report-day.ts';
import {
  type Portal2Credentials,
  type ProviderReportRow,
  ProviderReportSchema,
} from '../portal2/schema.ts';
import { mergeRows } from '../rows.ts';
import { DIMENSIONS, isReported, normalizeRow, type ReportScope } from './normalize.ts';
import { batchesOf, type Period, periodsOf, type ReportKind, reportOf } from './report-plan.ts';
import type { Roster } from './roster.ts';
import type { Portal2DisplaySettings } from './schema.ts';

type Request = CollectRequest<Portal2Credentials, Portal2DisplaySettings>;

/** Needed: without it the platform answers with rows that have no figures. */
const METRICS = 'BASIC,ADDITION,PIXEL_SDK_CONVERSION';

interface Deps {
  roster: Roster;
  clock: Clock;
}

/** The rows of one source over the window; see {@link Connector.collect}. */
export async function* collectReport(
  deps: Deps,
  client: Portal2Client,
  request: Request,
): AsyncGenerator<Observed[]> {
  const { source, account, link } = request;
  const fill = source.fills[0];
  if (!fill) throw new TypeError(`The source '${source.id}' fills nothing`);
  const report = reportOf(fill.level, account.id);
  const objects = await deps.roster.of(client, { link, account: account.id }, fill.level);
  const batches = batchesOf(objects, report.idsMax);
  const isOfApp = batches.some((batch) => batch.length > 1);
  // One window after the other: among many that share the pauses of an app, each would have only a part of its calls.
  const release = isOfApp ? await client.reserve(`${report.family}Window`) : undefined;
  try {
    const today = dayAt(deps.clock.now(), account.zone);
    const conversionWindowDays = request.settings.conversionWindowDays ?? 7;
    for (const period of periodsOf(request, today)) {
      for (const batch of batches) {
        const asked = new Map(batch.map((object) => [report.idOf(object), object]));
        const scope = {
          account: account.id,
          ...period,
          fill,
          objects: asked,
          conversionWindowDays,
        };
        const rows = await readReport(deps, client, { report, scope, zone: account.zone });
        const observed = readRows(rows, scope);
        if (observed.length > 0) yield observed;
      }
    }
  } finally {
    await release?.();
  }
}

async function readReport(
  { clock }: Deps,
  client: Portal2Client,
  { report, scope, zone }: { report: ReportKind; scope: ReportScope & Period; zone: string },
): Promise<readonly ProviderReportRow[]> {
  const { fill, objects, isToday, from, to } = scope;
  const { part } = fill;
  const days = isToday ? { datePreset: 'TODAY' } : { start: compactDay(from), end: compactDay(to) };
  const { data } = await client.call(
    {
      path: report.path,
      params: {
        [report.idParameter]: [...objects.keys()].join(','),
        ...days,
        timeUnit: 'DAY',
        metricsGroup: METRICS,
        ...(isReported(part) && { dimension: DIMENSIONS[part].parameter }),
      },
      account: scope.account,
      family: report.family,
      ofApp: objects.size > 1,
      pauseMs: report.pauseMs,
    },
    ProviderReportSchema,
  );
  // An empty answer of the new day would be taken for a day without delivery.
  if (isToday && dayAt(clock.now(), zone) !== from) {
    const text = `The day ${from} ended while its report was read: nothing of it is used`;
    throw new RetryableError('day_ended', text);
  }
  return data;
}

/** All rows of an answer; rows of one object and day whose values are one word become one. */
function readRows(rows: readonly ProviderReportRow[], scope: ReportScope): Observed[] {
  const keys = new Set<string>();
  const days = new Map<Day, Map<string, ObservationRow>>();
  for (const one of rows) {
    const normalized = normalizeRow(one, scope);
    if (!normalized) continue;
    const { day, row, key } = normalized;
    if (keys.has(key)) {
      const text = `The row '${key}' came twice: nothing of it is used`;
      throw new RetryableError('duplicate_row', text);
    }
    keys.add(key);
    const ofDay = days.get(day) ?? new Map<string, ObservationRow>();
    const place = row.slice(0, FIRST_FIGURE).join(' ');
    const known = ofDay.get(place);
    days.set(day, ofDay.set(place, known ? mergeRows(known, row) : row));
  }
  return [...days].map(([day, ofDay]) => ({
    day,
    set: scope.fill.from,
    rows: [...ofDay.values()],
  }));
}
