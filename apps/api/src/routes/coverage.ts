import { type Account, listAccounts, readCoverage } from '@tributary/database';
import {
  answerState,
  collectedRange,
  type DataState,
  type Day,
  eachDay,
  LEVEL_WORDS,
  type LinkCoverage,
  LinkCoverageSchema,
  LinkRangeQuerySchema,
  type SealedPart,
  sealedParts,
} from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { defineRoute } from '../http/define-route.ts';
import { type Range, stateAccount } from '../statistics/range.ts';
import { requireLink } from './links.ts';

type AccountCoverage = LinkCoverage['accounts'][number];
type Lack = { level: string; list: string };

/** How far a link is collected, by account and day. */
export const linkCoverageRoute = defineRoute({
  method: 'GET',
  path: '/link/coverage',
  query: LinkRangeQuerySchema,
  response: LinkCoverageSchema,
  scope: 'read',
  async handle({ query: { id, start, end }, context }, deps): Promise<LinkCoverage> {
    const link = await requireLink(deps, context, id);
    const accounts: AccountCoverage[] = [];
    for (const account of await listAccounts(deps.db, link._id)) {
      accounts.push(await coverageOf(deps, account, { start, end }, context.now));
    }
    const states = accounts.flatMap(({ days }) => days.map(({ state }) => state));
    const days = {
      wanted: states.length,
      collected: states.filter((state) => state !== 'missing').length,
      final: states.filter((state) => state === 'final').length,
    };
    return { id: link._id, from: start, to: end, days, accounts };
  },
});

/** The days of the range that the account should have by now or has. */
async function coverageOf(
  { db }: Deps,
  account: Account,
  { start, end }: Range,
  now: number,
): Promise<AccountCoverage> {
  const owner = stateAccount(account);
  const stored = await readCoverage(db, account._id, start, end);
  const parts = sealedParts(owner.channel).map((part) => {
    const range = collectedRange({ account: owner, part, from: start, to: end, ...stored });
    return { part, range, gaps: answerState(owner, part, range, now).gaps };
  });
  const lacks = new Map<Day, Lack[]>();
  for (const { part, gaps } of parts) {
    for (const { what, from, to } of gaps) {
      const lack = { level: levelWord(part), list: what === 'days' ? 'total' : what };
      for (const day of eachDay(from, to)) lacks.set(day, [...(lacks.get(day) ?? []), lack]);
    }
  }
  const finals = new Map<Day, boolean>();
  for (const { date, isFinal } of parts.flatMap(({ range }) => range.days)) {
    finals.set(date, isFinal && finals.get(date) !== false);
  }
  const { account: id, title, zone, currency, status } = account;
  const dates = [...new Set([...lacks.keys(), ...finals.keys()])].sort();
  const days = dates.map((date) => {
    const lack = lacks.get(date);
    return { date, state: dayState(finals.get(date), lack), ...(lack ? { parts: lack } : {}) };
  });
  return { id, title, zone, currency, status, days };
}

function levelWord(part: SealedPart): string {
  return part === 'blog' ? part : LEVEL_WORDS[part];
}

function dayState(isFinal: boolean | undefined, lack: readonly Lack[] | undefined): DataState {
  if (isFinal === undefined) return 'missing';
  if (lack) return 'partial';
  return isFinal ? 'final' : 'provisional';
}
