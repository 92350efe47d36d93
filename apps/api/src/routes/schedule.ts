import {
  type AuthorizedLink,
  changeSchedule,
  type Database,
  historyDaysOf,
  isOpenLink,
  nextPlanOf,
  planAccountOf,
  readLinkAccounts,
} from '@tributary/database';
import {
  LinkIdQuerySchema,
  type LinkSchedule,
  LinkScheduleSchema,
  UpdateScheduleBodySchema,
} from '@tributary/shared';
import { defineRoute } from '../http/define-route.ts';
import { linkNotFound, requireLink } from './links.ts';
import { momentText } from './records.ts';

const route = {
  path: '/link/schedule',
  extension: true,
  query: LinkIdQuerySchema,
  response: LinkScheduleSchema,
} as const;

/** When and how far back a link is collected. */
export const linkScheduleRoute = defineRoute({
  ...route,
  method: 'GET',
  summary: 'When and how far back a record is collected',
  problems: ['link_not_found'],
  scope: 'read',
  async handle({ query: { id }, context }, deps) {
    return await scheduleRecord(deps.db, await requireLink(deps, context, id));
  },
});

/** Pauses and resumes a link, and says how far back days are wanted. */
export const updateScheduleRoute = defineRoute({
  ...route,
  method: 'PUT',
  summary: 'Pauses or resumes a record, or says how far back days are wanted',
  description: [
    'While a record is paused nothing of it is planned and no platform is called; what is stored stays readable, days that are',
    'missed count as missing, and refreshes and imports are refused. Resumed, it reads what was missed.',
    'More `historyDays` want older days; fewer leave what is stored readable, and older days no longer count as missing.',
  ].join('\n'),
  problems: ['link_not_found'],
  body: UpdateScheduleBodySchema,
  scope: 'write',
  async handle({ query: { id }, body, context }, deps) {
    const link = await requireLink(deps, context, id);
    const changed = await changeSchedule(deps.db, link, { ...body, now: context.now });
    if (!changed) throw linkNotFound(id);
    return await scheduleRecord(deps.db, changed);
  },
});

async function scheduleRecord(db: Database, link: AuthorizedLink): Promise<LinkSchedule> {
  const { accounts, nextPlanAt } = await readLinkAccounts(db, link);
  const isOpen = isOpenLink(link);
  return {
    id: link._id,
    paused: link.pausedAt !== undefined,
    pausedSince: momentText(link.pausedAt),
    historyDays: historyDaysOf(link),
    nextPlanAt: momentText(nextPlanAt),
    accounts: accounts.map((account) => ({
      id: account.account,
      historyFrom: planAccountOf(account).historyFrom,
      nextPlanAt: momentText(isOpen ? nextPlanOf(account) : undefined),
    })),
  };
}
