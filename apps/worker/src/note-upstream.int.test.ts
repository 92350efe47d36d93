import { Writable } from 'node:stream';
import type { CollectRequest } from '@tributary/connectors';
import { createLogger } from '@tributary/runtime';
import { type Day, FIRST_FIGURE, type ObservationRow, type Observed } from '@tributary/shared';
import { openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';

const DAY_MS = 86_400_000;
const CONVERSIONS = FIRST_FIGURE + 2;
let worker: TestWorker;
let id: string;
let lines: { msg: string; source: string; metric?: string; from?: string }[];

beforeEach(async () => {
  worker = await openTestWorker();
  lines = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  Object.assign(worker.deps, { logger: createLogger({ name: 'test', destination }) });
  const { ids } = await worker.listed({ historyDays: 14 });
  id = ids[0] ?? '';
});
afterEach(() => worker.close());

/** The platform tells no conversions from that day on. */
function withoutConversionsFrom(first: Day): void {
  worker.script.collect = (request) => convert(request, first);
}

async function* convert(request: CollectRequest, first: Day): AsyncGenerator<Observed[]> {
  for await (const page of rowsOf(request, 4000)) {
    yield page.map(({ rows, ...piece }) => ({
      ...piece,
      rows: rows.map((row) => {
        const conversions = piece.day < first ? 5_000_000 : 0;
        return (row as ObservationRow).with(CONVERSIONS, conversions) as ObservationRow;
      }),
    }));
  }
}

async function turns(): Promise<void> {
  for (const lane of ['fresh', 'bulk'] as const) {
    for (let count = 0; count < 20 && (await worker.turn(id, lane)) === 'more'; count += 1);
  }
}

const told = (message: string) =>
  lines.filter(({ msg }) => msg.includes(message)).map(({ source, metric }) => [source, metric]);

async function counted() {
  const { values } = await worker.deps.metrics.upstreamChanges.get();
  return new Map(values.map(({ labels, value }) => [`${labels.source} ${labels.kind}`, value]));
}

test('conversions that a whole account no longer has are told once, counted, kept, and gone when they are back', async () => {
  const since = '2026-11-14';
  withoutConversionsFrom(since);
  await turns();
  const { upstream } = await worker.account(id);
  const totals = { part: 'base', metric: 'conversions', since };
  expect(upstream?.changes).toEqual(
    ['a-base', 'c-base', 'g-base', 'd-base'].map((source) => ({ source, ...totals })),
  );
  expect(told('no longer gives')).toEqual(
    ['a-base', 'c-base', 'g-base', 'd-base'].map((source) => [source, 'conversions']),
  );
  expect((await counted()).get('a-base metric')).toBe(1);
  // Nothing was held back: the days are stored as they were told.
  expect(await worker.cell(id, '2026-11-18', 'a-base')).toMatchObject({ state: 'ok' });

  worker.clock.time += DAY_MS;
  await turns();
  expect((await worker.account(id)).upstream).toEqual(upstream);
  expect((await counted()).get('a-base metric')).toBe(1);
  expect(told('again')).toEqual([]);

  withoutConversionsFrom('2027-01-01');
  worker.clock.time += DAY_MS;
  await turns();
  expect((await worker.account(id)).upstream?.changes).toEqual([]);
  expect(told('again')).toHaveLength(4);
}, 120_000);

test('a reading that empties days which had them is told, though the newest days have them', async () => {
  withoutConversionsFrom('2027-01-01');
  await turns();
  expect((await worker.account(id)).upstream).toBeUndefined();
  const hidden = ['2026-11-13', '2026-11-14', '2026-11-18', '2026-11-19'];
  worker.script.collect = async function* (request) {
    for await (const [piece] of convert(request, '2027-01-01')) {
      if (!piece) continue;
      const isHidden = request.source.id === 'a-age' && hidden.includes(piece.day);
      yield [
        {
          ...piece,
          rows: isHidden
            ? [(piece.rows[0] as ObservationRow).with(CONVERSIONS, 0) as ObservationRow]
            : piece.rows,
        },
      ];
    }
  };
  worker.clock.time += DAY_MS;
  await turns();
  expect((await worker.account(id)).upstream?.changes ?? []).toEqual([]);
  hidden.push('2026-11-17', '2026-11-15', '2026-11-16');
  worker.clock.time += 6 * DAY_MS;
  await turns();
  expect((await worker.account(id)).upstream?.changes).toMatchObject([
    { source: 'a-age', part: 'age', metric: 'conversions' },
  ]);
}, 120_000);

test('a suspicious answer is counted and told', async () => {
  withoutConversionsFrom('2027-01-01');
  await turns();
  worker.script.collect = async function* () {
    yield await Promise.resolve([]);
  };
  worker.clock.time += DAY_MS;
  await turns();
  const { values } = await worker.deps.metrics.days.get();
  const suspect = values.find(({ labels }) => labels.outcome === 'suspect');
  expect(suspect?.value).toBeGreaterThan(0);
  expect(told('far less').length).toBeGreaterThan(0);
}, 120_000);
