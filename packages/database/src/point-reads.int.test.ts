import { createPointReads } from './point-reads.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

interface Doc {
  _id: string;
  n: number;
}

let test: TestDatabase;
const docs = () => test.db.db.collection<Doc>('docs');
const read = createPointReads<Doc>(({ db }) => db.collection<Doc>('docs'));
const finds = () => test.takeCommands().filter((command) => command.find === 'docs');

beforeAll(async () => {
  test = await openTestDatabase('point_reads');
  await docs().insertMany(Array.from({ length: 250 }, (_, n) => ({ _id: `d${n}`, n })));
}, 60_000);
afterAll(() => test.drop());
beforeEach(() => test.takeCommands());

it('answers each question of one round with one query', async () => {
  const asked = ['d7', 'nobody', 'd3', 'd7'].map((id) => read(test.db, id));
  expect(await Promise.all(asked)).toEqual([
    { _id: 'd7', n: 7 },
    undefined,
    { _id: 'd3', n: 3 },
    { _id: 'd7', n: 7 },
  ]);
  expect(finds()).toHaveLength(1);
});

it('keeps nothing: the next round sees what was written since', async () => {
  expect(await read(test.db, 'd9')).toMatchObject({ n: 9 });
  await docs().updateOne({ _id: 'd9' }, { $set: { n: -9 } });
  expect(await read(test.db, 'd9')).toMatchObject({ n: -9 });
});

it('asks for a hundred at a time at most', async () => {
  const asked = Array.from({ length: 250 }, (_, n) => read(test.db, `d${n}`));
  expect(await Promise.all(asked)).toHaveLength(250);
  expect(
    finds()
      .map(({ filter }) => filter._id.$in.length)
      .sort((a, b) => a - b),
  ).toEqual([50, 100, 100]);
});

it('tells everybody that the query failed', async () => {
  const broken = createPointReads<Doc>(({ db }) => db.collection<Doc>(''));
  const asked = ['a', 'b'].map((id) => broken(test.db, id));
  const told = await Promise.allSettled(asked);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it.each([{ $ne: '' }, ['d1'], null, 1])('takes no %j for an id', (id) => {
  expect(() => read(test.db, id as never)).toThrow(TypeError);
});
