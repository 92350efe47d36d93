import fc from 'fast-check';
import type { Cell, Day } from './account.ts';
import { CHANNELS, type Dimension, sourcesOf } from './channels.ts';
import { collectedRange } from './collected.ts';
import { addDays, eachDay } from './days.ts';
import type { Level } from './levels.ts';
import { type SealedMark, sealTag } from './sealed.ts';
import { answerState, stateHeaders } from './state.ts';
import { testRuns } from './test-runs.ts';

const zone = 'Asia/Seoul';
const at = (text: string) => Date.parse(text);
const now = at('2026-11-10T12:00:00Z');

const account = (channel: keyof typeof CHANNELS, historyFrom: Day = '2026-10-01') => ({
  id: 'l.1',
  zone,
  historyFrom,
  channel: CHANNELS[channel],
});

interface DayState {
  /** When each source was fetched; a source that is absent was not collected. */
  fetched: Record<string, number>;
  /** Sealed from other readings than these. */
  sealedFrom?: Record<string, number>;
  over?: SealedMark['over'];
}

function cellsOf(fetched: Record<string, number>): Map<string, Cell> {
  return new Map(
    Object.entries(fetched).map(([source, fetchedAt]) => [
      source,
      { state: 'ok', triedAt: fetchedAt, fetchedAt, run: 1, base: fetchedAt % 1000, chunks: 1 },
    ]),
  );
}

/** What coverage would say after these readings were sealed. */
function stored(owner: ReturnType<typeof account>, level: Level, days: Record<Day, DayState>) {
  const cells = new Map<Day, Map<string, Cell>>();
  const sealed = new Map<Day, Partial<Record<Level, SealedMark>>>();
  for (const [day, { fetched, sealedFrom = fetched, over }] of Object.entries(days)) {
    cells.set(day, cellsOf(fetched));
    const input = { channel: owner.channel, account: owner, day, cells: cellsOf(sealedFrom) };
    const tag = sealTag(input, level);
    if (tag) sealed.set(day, { [level]: { run: 1, tag, ...(over && { over }) } });
  }
  return { cells, sealed };
}

function stateOf(
  owner: ReturnType<typeof account>,
  level: Level,
  days: Record<Day, DayState>,
  [from, to]: [Day, Day],
  when = now,
) {
  const input = { account: owner, part: level, from, to, ...stored(owner, level, days) };
  return answerState(owner, level, collectedRange(input), when);
}

const social = account('SOCIAL_ADS');
const sources = sourcesOf(social.channel, 'c').map(({ id }) => id);
const all = (fetchedAt: number, without: readonly string[] = []): DayState => ({
  fetched: Object.fromEntries(
    sources.filter((id) => !without.includes(id)).map((id) => [id, fetchedAt]),
  ),
});
const FETCHED = at('2026-11-05T03:00:00Z');

describe('answerState', () => {
  it('is missing without a collected day, and names the wanted ones', () => {
    const state = stateOf(social, 'c', {}, ['2026-11-01', '2026-11-03']);
    expect(state).toMatchObject({ state: 'missing', asOf: undefined, wanted: 3, collected: 0 });
    expect(stateHeaders(state)).toEqual({
      'Data-State': 'missing',
      'Data-Missing': 'days=2026-11-01..2026-11-03; count=3',
    });
  });

  it('is final only when every reading came after its last slot', () => {
    const days = (second: number) => ({ '2026-10-01': all(now), '2026-10-02': all(second) });
    const range: [Day, Day] = ['2026-10-01', '2026-10-02'];
    expect(stateOf(social, 'c', days(now), range).state).toBe('final');
    const early = at('2026-10-29T12:00:00Z'); // the 28th day after is not over
    expect(stateOf(social, 'c', days(early), range).state).toBe('provisional');
  });

  it('says the oldest fetch time of all', () => {
    const days = { '2026-11-01': all(FETCHED), '2026-11-02': all(FETCHED - 5000) };
    const { asOf } = stateOf(social, 'c', days, ['2026-11-01', '2026-11-02']);
    expect(asOf).toBe(FETCHED - 5000);
  });

  it('a list that was not collected makes the day partial', () => {
    const days = { '2026-11-01': all(FETCHED, ['c-age']), '2026-11-02': all(FETCHED) };
    const state = stateOf(social, 'c', days, ['2026-11-01', '2026-11-02']);
    expect(state.state).toBe('partial');
    expect(stateHeaders(state)['Data-Missing']).toBe('age=2026-11-01; count=1');
  });

  it('a list that was read long before the totals, or exceeds them by more than 1 %, is lacking', () => {
    const lagging = all(FETCHED);
    lagging.fetched['c-hour'] = FETCHED - 3_600_000;
    const over: DayState = { ...all(FETCHED), over: { device: 0.02, age: 0.01 } };
    const days = { '2026-11-01': lagging, '2026-11-02': over };
    const { gaps, gapDays } = stateOf(social, 'c', days, ['2026-11-01', '2026-11-02']);
    expect(gapDays).toBe(2);
    expect(gaps.map(({ what, from }) => [what, from])).toEqual([
      ['device', '2026-11-02'],
      ['hour', '2026-11-01'],
    ]);
  });

  it('never promises more than the sealed day holds while newer readings wait to be sealed', () => {
    const waiting: DayState = { ...all(now), sealedFrom: all(now, ['c-age']).fetched };
    const state = stateOf(social, 'c', { '2026-10-05': waiting }, ['2026-10-05', '2026-10-05']);
    expect(state).toMatchObject({ state: 'partial', asOf: at('2026-10-04T15:00:00Z') });
    const restated: DayState = { ...all(now), sealedFrom: all(now + 1).fetched };
    const other = stateOf(social, 'c', { '2026-10-05': restated }, ['2026-10-05', '2026-10-05']);
    expect(other.state).toBe('provisional');
  });

  it('counts from the first wanted day to today, never the future', () => {
    const owner = account('SOCIAL_ADS', '2026-11-09');
    const state = stateOf(owner, 'c', {}, ['2026-11-01', '2026-12-31']);
    expect(state.gaps).toEqual([{ what: 'days', from: '2026-11-09', to: '2026-11-10' }]);
    expect(stateOf(owner, 'c', {}, ['2026-11-11', '2026-11-12']).wanted).toBe(0);
  });

  it('lists that only a feed gives count with a feed, or on days that were imported', () => {
    const fed = account('PORTAL1_DA');
    const unfed = { ...fed, withoutFeed: true };
    const day = '2026-11-04';
    const at8 = (parts: readonly string[], fetchedAt = FETCHED) =>
      Object.fromEntries(parts.map((part) => [`c-${part}`, fetchedAt]));
    const api = at8(['hour', 'base']);
    const judge = (owner: typeof fed, fetched: Record<string, number>) => {
      const { state, gaps } = stateOf(owner, 'c', { [day]: { fetched } }, [day, day]);
      return [state, gaps.map(({ what }) => what)];
    };
    const lists = ['age', 'gender', 'devicePlatform', 'publisherGroup', 'placementGroup'];
    expect(judge(fed, api)).toEqual(['partial', lists]);
    expect(judge(fed, { ...api, ...at8(lists) })).toEqual(['provisional', []]);
    expect(judge(unfed, api)).toEqual(['provisional', []]);
    expect(judge(unfed, { ...api, ...at8(['age']) })).toEqual(['provisional', []]);
    const late = at('2026-11-06T03:00:00Z');
    expect(judge(unfed, { ...api, ...at8(['age'], late) })).toEqual(['partial', ['age']]);
  });

  it('every day of a blog without a feed counts, imported or not', () => {
    const blog = { ...account('PORTAL1_BLOG', '2026-11-05'), withoutFeed: true };
    const cells = new Map([['2026-11-06', cellsOf({ 'blog-days': at('2026-11-07T03:00:00Z') })]]);
    const input = { channel: blog.channel, account: blog, day: '2026-11-06' };
    const tag = sealTag({ ...input, cells: cells.get('2026-11-06') }, 'blog') ?? '';
    const sealed = new Map([['2026-11-06', { blog: { run: 1, tag } }]]);
    const range = { from: '2026-11-05', to: '2026-11-07' };
    const collected = collectedRange({ account: blog, part: 'blog', ...range, cells, sealed });
    expect(answerState(blog, 'blog', collected, now).gaps).toEqual([
      { what: 'days', from: '2026-11-05', to: '2026-11-05' },
      { what: 'days', from: '2026-11-07', to: '2026-11-07' },
    ]);
  });

  it('lists that the platform does not give, or cannot give yet, never count', () => {
    const da = account('PORTAL1_DA');
    const given = Object.fromEntries(sourcesOf(da.channel, 'c').map(({ id }) => [id, FETCHED]));
    const one: [Day, Day] = ['2026-11-04', '2026-11-04'];
    expect(stateOf(da, 'c', { '2026-11-04': { fetched: given } }, one).state).toBe('provisional');

    // Demographics of platform 2 come half a day after the end of the day.
    const search = account('SEARCH_ENGINE_ADS');
    const early = Object.fromEntries(
      sourcesOf(search.channel, 'c')
        .filter(({ late }) => !late)
        .map(({ id }) => [id, at('2026-11-09T17:00:00Z')]),
    );
    const yesterday: [Day, Day] = ['2026-11-09', '2026-11-09'];
    const days = { '2026-11-09': { fetched: early } };
    const state = (text: string) => stateOf(search, 'c', days, yesterday, at(text)).state;
    expect(state('2026-11-09T18:00:00Z')).toBe('provisional');
    expect(state('2026-11-10T04:00:00Z')).toBe('partial');
  });

  it('ads have no lists and the level above does not matter to them', () => {
    const days = { '2026-11-01': { fetched: { 'd-base': FETCHED } } };
    expect(stateOf(social, 'd', days, ['2026-11-01', '2026-11-01']).state).toBe('provisional');
    expect(stateOf(social, 'c', days, ['2026-11-01', '2026-11-01']).state).toBe('missing');
  });

  it('shows ten gaps and counts all', () => {
    const days = Object.fromEntries(
      eachDay('2026-10-01', '2026-10-31')
        .filter((day) => Number(day.slice(-2)) % 2 === 0)
        .map((day) => [day, all(FETCHED)]),
    );
    const header = stateHeaders(stateOf(social, 'c', days, ['2026-10-01', '2026-10-31']));
    expect(header['Data-Missing']?.match(/days=/g)).toHaveLength(10);
    expect(header['Data-Missing']).toMatch(/; count=16$/);
  });

  describe('of a day that was read last before it was over', () => {
    const day = '2026-11-05';
    const one: [Day, Day] = [day, day];
    const END = at('2026-11-05T15:00:00Z');
    const SLOT = END + 90 * 60_000;
    const judge = (read: DayState, when: number, owner = social) => {
      const { state, gaps, collected } = stateOf(owner, 'c', { [day]: read }, one, when);
      return { state, lacks: gaps.map(({ what }) => what), collected };
    };
    const whole = { state: 'provisional', lacks: [], collected: 1 };

    it('lacks its end from the first slot after it, and is named in the headers', () => {
      expect(judge(all(FETCHED), SLOT - 1)).toEqual(whole);
      expect(judge(all(FETCHED), SLOT)).toEqual({
        state: 'partial',
        lacks: ['days'],
        collected: 0,
      });
      expect(judge(all(END - 1), SLOT)).toMatchObject({ state: 'partial' });
      expect(stateHeaders(stateOf(social, 'c', { [day]: all(FETCHED) }, one))).toMatchObject({
        'Data-State': 'partial',
        'Data-Missing': 'days=2026-11-05; count=1',
      });
    });

    it('is whole again with the next reading', () => {
      expect(judge(all(END), SLOT)).toEqual(whole);
      expect(judge(all(SLOT), now)).toEqual(whole);
    });

    it('lacks a list alone when its totals are of the whole day', () => {
      const read = all(END);
      read.fetched['c-age'] = END - 60_000;
      expect(judge(read, SLOT - 1)).toEqual(whole);
      expect(judge(read, SLOT)).toEqual({ state: 'partial', lacks: ['age'], collected: 1 });
    });

    it('never counts outside of the days that are wanted', () => {
      const owner = account('SOCIAL_ADS', '2026-11-06');
      expect(judge(all(FETCHED), now, owner)).toEqual({ ...whole, collected: 0 });
    });

    it('is told by every reading and moment alike: partial exactly when the reading is older than the end', () => {
      const hours = fc.integer({ min: -30, max: 80 }).map((hour) => END + hour * 3_600_000);
      fc.assert(
        fc.property(hours, hours, fc.constantFrom(...sources), (read, when, late) => {
          const readings = all(Math.min(read, when));
          expect(judge(readings, when).state === 'partial').toBe(
            Math.min(read, when) < END && when >= SLOT,
          );
          const mended = { fetched: { ...readings.fetched, [late]: when } };
          const { state, lacks } = judge(mended, when);
          const isWhole = Object.values(mended.fetched).every((at) => at >= END);
          if (when >= SLOT && !isWhole)
            expect([state, lacks.length > 0]).toEqual(['partial', true]);
        }),
        testRuns(200),
      );
    });
  });

  it('gaps and collected days together are the wanted days, whatever is stored', () => {
    const lists = social.channel.lists;
    const day = fc.record({
      kind: fc.constantFrom('none', 'all', 'lacking'),
      list: fc.constantFrom(...lists),
    });
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 40 }), (plan) => {
        const from = '2026-10-01';
        const to = addDays(from, plan.length - 1);
        const days: Record<Day, DayState> = {};
        const lacking: { date: Day; list: Dimension }[] = [];
        for (const [index, { kind, list }] of plan.entries()) {
          const date = addDays(from, index);
          if (kind === 'all') days[date] = all(FETCHED);
          if (kind === 'lacking') {
            days[date] = all(FETCHED, [`c-${list}`]);
            lacking.push({ date, list });
          }
        }
        const state = stateOf(social, 'c', days, [from, to]);
        const expanded = state.gaps.flatMap((gap) =>
          eachDay(gap.from, gap.to).map((date) => `${gap.what} ${date}`),
        );
        const absent = eachDay(from, to).filter((date) => !(date in days));
        const expected = [
          ...absent.map((date) => `days ${date}`),
          ...lacking.map(({ date, list }) => `${list} ${date}`),
        ];
        expect(expanded.sort()).toEqual(expected.sort());
        expect(state).toMatchObject({
          gapDays: expected.length,
          wanted: plan.length,
          collected: plan.length - absent.length,
        });
      }),
      { numRuns: 100 },
    );
  });
});
