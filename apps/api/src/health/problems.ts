import type { Account, Link } from '@tributary/database';
import { type AccountHealth, type HealthProblem, isOpen, shortDetail } from '@tributary/shared';
import { momentText } from '../routes/records.ts';

/** What is wrong with a link as a whole. */
export function linkProblems(link: Link, search: Account | undefined): HealthProblem[] {
  const { status, reason, statusSince } = link;
  if (status === 'Disconnect') {
    return [
      {
        code: 'disconnected',
        severity: 'error',
        ...(reason && { cause: reason.code }),
        message: reason?.message ?? 'It waits for new credentials',
        ...(statusSince !== undefined && { since: momentText(statusSince) }),
      },
    ];
  }
  const tree = search && treeFailure(search);
  return tree ? [{ code: 'accounts_unreadable', severity: 'error', ...tree }] : [];
}

/** What is wrong with one account, by what is told of it. */
export function accountProblems(account: Account, health: AccountHealth): HealthProblem[] {
  const { id, status, frozenBefore, failing, quiet } = health;
  const of = { account: id };
  const frozen: HealthProblem[] = frozenBefore
    ? [
        {
          code: 'figures_frozen',
          severity: 'notice',
          ...of,
          message: `Zone or currency changed: days before ${frozenBefore} keep the figures they have`,
        },
      ]
    : [];
  if (!isOpen(status)) {
    const message = `The account is ${status}: what it has stays, and nothing more is read`;
    return [{ code: 'account_closed', severity: 'notice', ...of, message }, ...frozen];
  }
  const tree = treeFailure(account);
  return [
    ...(tree ? [{ code: 'account_failing', severity: 'error', ...of, ...tree } as const] : []),
    ...failing.sources.map(
      ({ source, code, detail, cells, nextAttemptAt }): HealthProblem => ({
        code: 'source_failing',
        severity: 'error',
        ...of,
        source,
        cause: code,
        message: `${cells} ${cells === 1 ? 'day waits' : 'days wait'}: ${detail}`,
        ...(nextAttemptAt && { nextAttemptAt }),
      }),
    ),
    ...quiet.map(({ lane, until, code, detail }): HealthProblem => {
      const isPoisoned = code === 'poisoned';
      return {
        code: isPoisoned ? 'poisoned' : 'waiting',
        severity: isPoisoned ? 'error' : 'notice',
        ...of,
        lane,
        cause: code,
        message: detail,
        nextAttemptAt: until,
      };
    }),
    ...frozen,
  ];
}

/** What the account's tree, or the link's list of accounts, fails with now. */
function treeFailure({ tree }: Account) {
  const { code, detail = '', retryAt } = tree;
  if (code === undefined) return undefined;
  return {
    cause: code,
    message: shortDetail(detail),
    ...(retryAt !== undefined && { nextAttemptAt: momentText(retryAt) }),
  };
}
