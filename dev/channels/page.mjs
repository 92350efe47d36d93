// @ts-check
import { CHANNELS, fillOf, LEVEL_WORDS, notGiven } from '../../packages/shared/src/index.ts';

/** @typedef {import('../../packages/shared/src/index.ts').Channel} Channel */
/** @typedef {import('../../packages/shared/src/index.ts').Level} Level */

/** @type {readonly Level[]} */
const LEVELS = ['a', 'c', 'g', 'd'];

/**
 * docs/channels.md: what each channel fills, from the channel table.
 * @returns {string}
 */
export function writeChannelsPage() {
  const parts = Object.values(CHANNELS).map((channel) =>
    channel.kind === 'ads' ? adsSection(channel) : blogSection(channel),
  );
  return `# What each channel fills

Written by \`npm run channels\` from the channel table ([\`channels.ts\`](../packages/shared/src/channels.ts)), and checked by
\`npm run truth\` against what a running instance holds. *filled*: the platform tells it, directly or as a sum of the rows that
the source names; a number: empty (\`[]\`) or \`null\` for the reason below the table; –: the interface has nothing there.

${parts.join('\n')}`;
}

/** @param {Channel} channel */
function adsSection(channel) {
  const reasons = notGiven(channel);
  const numbers = new Map(
    [...new Set(reasons.map(({ reason }) => reason))].map((reason, i) => [reason, i + 1]),
  );
  /** @param {Level} level @param {'base' | import('../../packages/shared/src/index.ts').Dimension} part */
  const cell = (level, part) => {
    if (level === 'd' && part !== 'base') return '–';
    const list = part === 'base' ? undefined : part;
    const own = reasons.filter((one) => one.levels.includes(level));
    const whole = own.find(
      (one) => one.metrics === undefined && (one.list === undefined || one.list === list),
    );
    if (whole) return `${numbers.get(whole.reason)}`;
    const lacking = own.filter((one) => one.list === list && one.metrics !== undefined);
    const source = fillOf(channel, level, part)?.source.id;
    const nulls = lacking.map(
      ({ metrics = [], reason }) => `${metrics.join(', ')}: ${numbers.get(reason)}`,
    );
    return [`filled (\`${source}\`)`, ...nulls].join('; ');
  };
  /** @type {('base' | import('../../packages/shared/src/index.ts').Dimension)[]} */
  const parts = ['base', ...channel.lists];
  const rows = parts.map(
    (part) =>
      `| ${part === 'base' ? 'totals' : part} | ${LEVELS.map((level) => cell(level, part)).join(' | ')} |`,
  );
  const footnotes = [...numbers].map(([reason, n]) => `${n}. ${reason}`);
  return [
    `## ${channel.type}`,
    '',
    `| | ${LEVELS.map((level) => LEVEL_WORDS[level]).join(' | ')} |`,
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...(footnotes.length > 0 ? [...footnotes, ''] : []),
    factsOf(channel),
  ].join('\n');
}

/** @param {Channel} channel */
function blogSection(channel) {
  return [
    `## ${channel.type}`,
    '',
    `Days by source \`${channel.sources[0]?.id}\`.`,
    '',
    factsOf(channel),
  ].join('\n');
}

/** @param {Pick<Source, 'settleHours' | 'publishedAt' | 'late'>} source */
function settledText({ settleHours, publishedAt, late }) {
  const from = publishedAt ? ` from ${publishedAt.hour}:00 ${publishedAt.zone}` : '';
  return `${settleHours ?? '–'}${from}${late ? ', not before' : ''}`;
}

/** @param {Channel} channel */
function factsOf({ spendTax, sources }) {
  const rows = sources.map(
    ({ id, calls, maxDays, historyDays, lookbackDays, ...source }) =>
      `| \`${id}\` | ${calls} | ${maxDays} | ${historyDays} | ${settledText(source)} | ${lookbackDays} |`,
  );
  return [
    ...(spendTax === null ? [] : [`Value added tax in spend: ${spendTax}.`, '']),
    '| source | calls | days per window | history, days | read again, hours after the day | restated, days |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
