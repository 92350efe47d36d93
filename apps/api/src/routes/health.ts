import { isOpenLink, readLinkAccounts } from '@tributary/database';
import {
  type HealthProblem,
  type LinkHealth,
  LinkHealthSchema,
  LinkIdQuerySchema,
} from '@tributary/shared';
import { accountHealth } from '../health/account-health.ts';
import { accountProblems, linkProblems } from '../health/problems.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireLink } from './links.ts';
import { momentText } from './records.ts';

const PROBLEMS_MAX = 100;

/** How a link is, and why not better: from what turns left with its accounts, so that it costs two reads. */
export const linkHealthRoute = defineRoute({
  method: 'GET',
  path: '/link/health',
  summary: 'How a record is, and why not better',
  description: [
    'What fails now, why, and when it is tried again: of the record, its accounts and their sources. `healthy` is false when wanted figures do not come.',
    "`budget.waitsUntil` is the wait that a platform asked for; how many calls are left of a platform's budget is not known.",
  ].join('\n'),
  extension: true,
  problems: ['link_not_found'],
  query: LinkIdQuerySchema,
  response: LinkHealthSchema,
  scope: 'read',
  async handle({ query: { id }, context }, deps): Promise<LinkHealth> {
    const { now } = context;
    const link = await requireLink(deps, context, id);
    const stored = await readLinkAccounts(deps.db, link);
    const isOpen = isOpenLink(link);
    const accounts = stored.accounts.map((account) => ({
      account,
      health: accountHealth(account, now, isOpen),
    }));
    const problems = [
      ...linkProblems(link, stored.search),
      ...accounts.flatMap(({ account, health }) => accountProblems(account, health)),
    ].map((problem) => (isOpen ? problem : withoutAttempt(problem)));
    const errors = problems.filter(({ severity }) => severity === 'error');
    const notices = problems.filter(({ severity }) => severity === 'notice');
    const { _id, status, reason, statusSince, pausedAt } = link;
    return {
      id: _id,
      healthy: errors.length === 0,
      status,
      reason,
      since: momentText(statusSince),
      paused: pausedAt !== undefined,
      pausedSince: momentText(pausedAt),
      nextPlanAt: momentText(stored.nextPlanAt),
      problems: [...errors, ...notices].slice(0, PROBLEMS_MAX),
      problemCount: problems.length,
      accounts: accounts.map(({ health }) => health),
    };
  },
});

/** Nothing is attempted while a link is paused or waits for a person. */
function withoutAttempt({ nextAttemptAt: _, ...problem }: HealthProblem): HealthProblem {
  return problem;
}
