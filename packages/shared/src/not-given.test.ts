import { CHANNEL_TYPES, CHANNELS, fillOf } from './channels.ts';
import { LISTED_LEVELS } from './levels.ts';
import { lackingMetrics, notGiven } from './not-given.ts';

test.each(CHANNEL_TYPES)('%s has a reason for everything that it does not fill', (type) => {
  const channel = CHANNELS[type];
  const reasons = notGiven(channel);
  for (const { reason } of reasons) expect(reason).toMatch(/^[A-Z].+\.$/);
  if (channel.kind === 'blog') return;
  for (const level of LISTED_LEVELS) {
    for (const list of channel.lists) {
      const isEmpty = reasons.some(
        (one) =>
          one.levels.includes(level) &&
          one.metrics === undefined &&
          (one.list === list || one.list === undefined),
      );
      expect([type, level, list, isEmpty]).toEqual([
        type,
        level,
        list,
        !fillOf(channel, level, list),
      ]);
    }
  }
});

test('what a list lacks is said once where the totals lack it too', () => {
  const hour = notGiven(CHANNELS.SOCIAL_ADS).filter(({ list }) => list === 'hour');
  expect(hour.map(({ levels, metrics }) => [levels, metrics])).toEqual([
    [
      ['a', 'c', 'g'],
      ['conversions', 'amount'],
    ],
    [['a', 'c', 'g'], ['reach']],
  ]);
  expect(lackingMetrics(CHANNELS.SOCIAL_ADS, 'a', 'hour')).toContain('rimp');
});

test('a channel without the account level says so once', () => {
  const [first, ...others] = notGiven(CHANNELS.PORTAL1_SEARCH_AD).filter(({ levels }) =>
    levels.includes('a'),
  );
  expect(first).toMatchObject({ levels: ['a'] });
  expect(first?.list).toBeUndefined();
  expect(others).toEqual([]);
});

test('a cell without a reason is named', () => {
  const channel = { ...CHANNELS.SOCIAL_ADS, sources: [] };
  expect(() => notGiven(channel)).toThrow("SOCIAL_ADS lacks base at level 'a'");
});
