import { RetryableError } from '@tributary/runtime';
import { addDays, type Day, daysBetween } from '@tributary/shared';
import type { Portal2Client } from '../portal2/client.ts';
import { compactDay } from '../portal2/report-day.ts';
import { type ProviderReportRow, ProviderReportSchema } from '../portal2/schema.ts';

export interface ReportQuestion {
  account: string;
  /** `campaigns/report` */
  path: string;
  from: Day;
  to: Day;
  timeUnit: 'DAY' | 'MONTH';
  metricsGroups: readonly string[];
  /** The platform's name of a dimension; undefined = totals. */
  dimension?: string | undefined;
  campaign?: string | undefined;
}

export const DELIVERY_GROUPS = ['BASIC'] as const;
/** The parameter is spelled `metricsGroups` here, and `metricsGroup` on the company's other platform. */
export const ALL_GROUPS = ['BASIC', 'ADDITION', 'PIXEL_SDK_CONVERSION'] as const;

/** The rows of a report, which always comes whole. A range whose answer is too large is asked for in halves. */
export async function readReport(
  client: Portal2Client,
  question: ReportQuestion,
): Promise<ProviderReportRow[]> {
  const { account, path, from, to } = question;
  try {
    const call = { path, params: paramsOf(question), account, family: 'reports' };
    return (await client.call(call, ProviderReportSchema)).data;
  } catch (error) {
    const isTooLarge = error instanceof RetryableError && error.code === 'too_large';
    if (!isTooLarge || from === to || question.timeUnit !== 'DAY') throw error;
    const middle = addDays(from, Math.floor(daysBetween(from, to) / 2));
    const first = await readReport(client, { ...question, to: middle });
    return first.concat(await readReport(client, { ...question, from: addDays(middle, 1) }));
  }
}

function paramsOf({ from, to, timeUnit, metricsGroups, dimension, campaign }: ReportQuestion) {
  return {
    metricsGroups: metricsGroups.join(','),
    start: compactDay(from),
    end: compactDay(to),
    timeUnit,
    ...(dimension !== undefined && { dimension }),
    ...(campaign !== undefined && { campaignId: campaign }),
  };
}
