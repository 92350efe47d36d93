import type { AdsFacts, Atom } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsNode, ancestorOf } from '../world/ads-tree.ts';
import { hash } from '../world/random.ts';
import { ageOf, genderOf } from './world.ts';

export interface FileQuestion {
  account: AdsAccount;
  /** YYYY-MM-DD */
  date: string;
  /** Epoch milliseconds: the figures are those that were known then. */
  at: number;
}

/** How one kind of report is made. */
interface ReportKind {
  /** Days back from today for which it can be had. */
  days: number;
  rows(facts: AdsFacts, question: FileQuestion): Iterable<readonly (string | number)[]>;
}

export const REPORT_KINDS: Readonly<Record<string, ReportKind>> = {
  AD: { days: 365, rows: (facts, question) => delivery(facts, question, false) },
  AD_DETAIL: { days: 180, rows: (facts, question) => delivery(facts, question, true) },
  AD_CONVERSION: { days: 365, rows: (facts, question) => conversions(facts, question, false) },
  AD_CONVERSION_DETAIL: { days: 45, rows: (facts, question) => conversions(facts, question, true) },
  CRITERION: { days: 365, rows: criteria },
  CRITERION_CONVERSION: { days: 365, rows: criterionConversions },
};

/** A file without a header line; '' when nothing happened that day. */
export function fileOf(kind: ReportKind, facts: AdsFacts, question: FileQuestion): string {
  const lines = [...kind.rows(facts, question)].map((row) => `${row.join('\t')}\n`);
  return lines.join('');
}

/** Money as Java writes a double: 1234.0, from ten millions on 1.2345E7. */
export function javaDouble(micros: number): string {
  const text = String(micros / 1_000_000);
  if (micros < 10_000_000_000_000) return text.includes('.') ? text : `${text}.0`;
  const [whole = '', fraction = ''] = text.split('.');
  const digits = `${whole.slice(1)}${fraction}`.replace(/0+$/, '');
  return `${whole[0]}.${digits || '0'}E${whole.length - 1}`;
}

function* atomsOf(facts: AdsFacts, { account, date, at }: FileQuestion): Generator<Atom> {
  for (const leaf of account.leaves) yield* facts.atoms(leaf, date, at);
}

function idOf(atom: Atom, kind: 'campaign' | 'adGroup'): string {
  return ancestorOf(atom.leaf, kind)?.id ?? '-';
}

function channelOf(ad: AdsNode): string {
  return `bsn-a001-00-${String(hash(`channel/${ad.account.id}`)).padStart(15, '0')}`;
}

/** The columns before the figures, from the date on. */
function place(atom: Atom, isDetail: boolean): string[] {
  return [
    ...start(atom),
    idOf(atom, 'campaign'),
    idOf(atom, 'adGroup'),
    atom.keyword?.id ?? '-',
    atom.leaf.id,
    channelOf(atom.leaf),
    ...(isDetail ? [String(atom.hour).padStart(2, '0'), atom.values.region ?? ''] : []),
    atom.values.media ?? '',
    atom.values.device ?? '',
  ];
}

function start({ date, leaf }: Atom): string[] {
  return [date.replaceAll('-', ''), leaf.account.id];
}

interface Sums {
  columns: string[];
  impressions: number;
  clicks: number;
  spend: number;
  conversions: number;
  amount: number;
}

/** Adds up what has equal columns. */
function summed(parts: Iterable<{ columns: string[]; atom: Atom; times?: number }>): Sums[] {
  const sums = new Map<string, Sums>();
  for (const { columns, atom, times = 1 } of parts) {
    const key = columns.join('\t');
    const sum = sums.get(key) ?? {
      columns,
      impressions: 0,
      clicks: 0,
      spend: 0,
      conversions: 0,
      amount: 0,
    };
    sums.set(key, sum);
    sum.impressions += atom.impressions;
    sum.clicks += atom.clicks;
    sum.spend += atom.spend;
    sum.conversions += times * atom.conversions;
    sum.amount += times * atom.amount;
  }
  return [...sums.values()];
}

const isDelivered = ({ impressions, clicks, spend }: Atom | Sums) =>
  impressions + clicks + spend > 0;

function* delivery(facts: AdsFacts, question: FileQuestion, isDetail: boolean) {
  const parts = [...atomsOf(facts, question)]
    .filter(isDelivered)
    .map((atom) => ({ atom, columns: place(atom, isDetail) }));
  for (const { columns, impressions, clicks, spend } of summed(parts)) {
    const rankSum = impressions * (1 + (hash(columns.join('/')) % 5));
    yield [...columns, impressions, clicks, javaDouble(spend), rankSum, 0];
  }
}

/** Each purchase went through a basket, which the platform counts as another kind. */
function* conversionParts(
  facts: AdsFacts,
  question: FileQuestion,
  columnsOf: (atom: Atom) => string[][],
) {
  for (const atom of atomsOf(facts, question)) {
    if (atom.conversions === 0) continue;
    for (const columns of columnsOf(atom)) {
      const method = atom.values.method ?? '1';
      yield { atom, columns: [...columns, method, 'purchase'] };
      yield { atom, columns: [...columns, method, 'add_to_cart'], times: 2 };
    }
  }
}

function* conversionRows(parts: Parameters<typeof summed>[0]) {
  for (const { columns, conversions: count, amount } of summed(parts)) {
    yield [...columns, count / 1_000_000, javaDouble(amount).replace(/\.0$/, '')];
  }
}

function conversions(facts: AdsFacts, question: FileQuestion, isDetail: boolean) {
  return conversionRows(conversionParts(facts, question, (atom) => [place(atom, isDetail)]));
}

/** One line for each criterion that applied: age, gender, and others that no list of ours needs. */
function criterionColumns(atom: Atom): string[][] {
  const owner = idOf(atom, 'adGroup');
  const age = ageOf(atom);
  const gender = genderOf(atom);
  const isTargeted = age !== '' || gender !== '';
  const codes = [
    age,
    gender,
    ...(isTargeted ? [`RL${atom.values.region || '99'}`, 'SDMON0024'] : []),
  ];
  return codes
    .filter((code) => code !== '')
    .map((code) => [...start(atom), `${owner}~${code}`, atom.values.device ?? '']);
}

function* criteria(facts: AdsFacts, question: FileQuestion) {
  const parts = [...atomsOf(facts, question)]
    .filter(isDelivered)
    .flatMap((atom) => criterionColumns(atom).map((columns) => ({ atom, columns })));
  for (const { columns, impressions, clicks, spend } of summed(parts)) {
    yield [...columns, impressions, clicks, javaDouble(spend)];
  }
}

function criterionConversions(facts: AdsFacts, question: FileQuestion) {
  return conversionRows(conversionParts(facts, question, criterionColumns));
}
