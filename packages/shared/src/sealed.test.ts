import type { Cell } from './account.ts';
import { CHANNELS, type ChannelType, sourcesOf } from './channels.ts';
import { LEVELS, type Level } from './levels.ts';
import {
  type DayInput,
  isUnsealed,
  partState,
  type SealedMark,
  sealedParts,
  sealTag,
  unsealedParts,
} from './sealed.ts';
import { lastSlot } from './slots.ts';

const MINUTE = 60_000;
const day = '2026-11-02';
const AT = Date.parse('2026-11-03T12:00:00Z');
const account = { id: 'link.77', zone: 'Asia/Seoul' };

/** A day whose sources were all read at one moment, by runs counted up from 1 in the order of the table. */
function dayOf(type: ChannelType, changed: Record<string, Partial<Cell> | null> = {}) {
  const channel = CHANNELS[type];
  const cells = new Map<string, Cell>();
  for (const [index, { id }] of channel.sources.entries()) {
    const change = changed[id];
    if (change === null) continue;
    cells.set(id, { state: 'ok', triedAt: AT, fetchedAt: AT, run: 99, base: index + 1, ...change });
  }
  return { channel, account, day, cells };
}

describe('the tag of a sealed level', () => {
  it('names the runs that hold the rows of its sources, in the order of the table', () => {
    expect(sealTag(dayOf('SOCIAL_ADS'), 'a')).toBe('1:1.2.3.4.5.6.7');
    expect(sealTag(dayOf('SOCIAL_ADS'), 'c')).toBe('1:8.9.10.11.12.13.14');
    expect(sealTag(dayOf('SOCIAL_ADS'), 'd')).toBe('1:22');
    expect(sealTag(dayOf('SOCIAL_ADS', { 'c-age': { base: 500 } }), 'c')).toBe(
      '1:500.9.10.11.12.13.14',
    );
  });

  it('marks a list that was never read, and is not there without totals', () => {
    expect(sealTag(dayOf('SOCIAL_ADS', { 'c-gender': null }), 'c')).toBe('1:8.-.10.11.12.13.14');
    expect(sealTag(dayOf('SOCIAL_ADS', { 'c-base': null }), 'c')).toBeUndefined();
    expect(sealTag({ ...dayOf('SOCIAL_ADS'), cells: undefined }, 'c')).toBeUndefined();
    expect(sealTag(dayOf('PORTAL1_SEARCH_AD'), 'a')).toBeUndefined();
  });

  it('names the lists that were read at another moment than the totals', () => {
    const later = { fetchedAt: AT + 31 * MINUTE };
    const lagging = dayOf('SOCIAL_ADS', { 'c-age': later, 'c-hour': later });
    expect(sealTag(lagging, 'c')).toBe('1:8.9.10.11.12.13.14:age:hour');
    expect(sealTag(lagging, 'a')).toBe('1:1.2.3.4.5.6.7');
  });

  it('of the blog is that of its only source', () => {
    expect(sealTag(dayOf('PORTAL1_BLOG', { 'blog-days': { base: 7 } }), 'blog')).toBe('1:7');
    expect(sealTag(dayOf('PORTAL1_BLOG', { 'blog-days': null }), 'blog')).toBeUndefined();
  });
});

describe('a list and its totals', () => {
  const ageAt = (minutes: number, baseAt = AT) =>
    partState(
      dayOf('SOCIAL_ADS', {
        'c-base': { fetchedAt: baseAt },
        'c-age': { fetchedAt: baseAt + minutes * MINUTE },
      }),
      'c',
      'age',
    );

  it.each([
    [0, 'joined'],
    [30, 'joined'],
    [-30, 'joined'],
    [30 + 1 / MINUTE, 'lag'],
    [-30 - 1 / MINUTE, 'lag'],
  ])('are, read %d minutes apart, %s', (minutes, state) => {
    expect(ageAt(minutes)).toBe(state);
  });

  it('are of one moment once both are final, however far apart', () => {
    const source = sourcesOf(CHANNELS.SOCIAL_ADS, 'c')[0];
    if (!source) throw new Error('No source');
    const last = lastSlot(source, day, account);
    expect(ageAt(600, last)).toBe('joined');
    expect(ageAt(600, last - 1)).toBe('lag');
    expect(ageAt(-600, last)).toBe('lag');
  });

  it.each<[string, DayInput, Level]>([
    ['the list was not read', dayOf('SOCIAL_ADS', { 'c-age': null }), 'c'],
    ['the totals were not read', dayOf('SOCIAL_ADS', { 'c-base': null }), 'c'],
    ['nothing was read', { ...dayOf('SOCIAL_ADS'), cells: undefined }, 'c'],
    ['the level has no such list', dayOf('SOCIAL_ADS'), 'd'],
    ['the level has no totals', dayOf('PORTAL1_SEARCH_AD'), 'a'],
  ])('are missing where %s', (_name, input, level) => {
    expect(partState(input, level, 'age')).toBe('missing');
  });

  it('are missing where one of them was only tried', () => {
    const { fetchedAt: _, ...tried } = { state: 'failed', triedAt: AT, fetchedAt: AT } as const;
    for (const id of ['c-age', 'c-base']) {
      const input = dayOf('SOCIAL_ADS');
      input.cells.set(id, tried);
      expect([id, partState(input, 'c', 'age')]).toEqual([id, 'missing']);
    }
  });
});

describe('the parts of a day', () => {
  const input = dayOf('SOCIAL_ADS', { 'd-base': null });
  const mark = (level: Level, more: Partial<SealedMark> = {}): SealedMark => ({
    run: 1,
    tag: sealTag(input, level) ?? '',
    ...more,
  });
  const sealed = { a: mark('a'), c: mark('c'), g: mark('g') };

  it('are the levels, or the blog', () => {
    expect(sealedParts(CHANNELS.SOCIAL_ADS)).toEqual(LEVELS);
    expect(sealedParts(CHANNELS.PORTAL1_BLOG)).toEqual(['blog']);
  });

  it('are unsealed where they were collected and never sealed', () => {
    expect(unsealedParts({ ...input, sealed: undefined })).toEqual(['a', 'c', 'g']);
    expect(unsealedParts({ ...input, sealed: { c: sealed.c } })).toEqual(['a', 'g']);
    expect(unsealedParts({ ...input, cells: undefined, sealed: undefined })).toEqual([]);
  });

  it('are unsealed where they were read anew or a sealing is under way', () => {
    expect(unsealedParts({ ...input, sealed })).toEqual([]);
    expect(isUnsealed({ ...input, sealed })).toBe(false);
    const read = dayOf('SOCIAL_ADS', { 'd-base': null, 'g-hour': { base: 500 } });
    expect(unsealedParts({ ...read, sealed })).toEqual(['g']);
    const dying = { ...sealed, a: mark('a', { isUnderWay: true }) };
    expect(unsealedParts({ ...input, sealed: dying })).toEqual(['a']);
    expect(isUnsealed({ ...input, sealed: dying })).toBe(true);
  });
});
