import { json, scriptedClient } from './testing/scripted-client.ts';

const ASKED = { id: 'l', value: 'v', start: '2026-11-01', end: '2026-11-01' };
const day = { date: '2026-11-01', total: {} };
const answers = (count: number) =>
  Array.from({ length: count }, () => json({ data: { SOCIAL_ADS: [day] } }));

// The compiler is what tests here: a line that it ought to refuse, and does not, is an error of its own.
test('what may be asked, and what comes back, is typed', async () => {
  const { client } = scriptedClient(answers(2));
  const { data, state } = await client.getDataAdAccount(ASKED);
  // @ts-expect-error an answer is of one channel, and which one has to be looked at
  expect(data.data.PORTAL1_DA).toBeUndefined();
  const spend = 'SOCIAL_ADS' in data.data ? data.data.SOCIAL_ADS[0]?.total.spend : undefined;
  const isNumber: number | undefined = spend;
  const word: 'missing' | 'partial' | 'provisional' | 'final' | undefined = state;
  expect([isNumber, word]).toEqual([undefined, undefined]);

  const conditional = await client.getDataAdAccount(ASKED, { ifNoneMatch: 'W/"1"' });
  // @ts-expect-error there may be no data
  expect(conditional.data.date).toBeUndefined();
  if (!conditional.notModified) expect(conditional.data.date).toBeUndefined();

  const refused = [
    // @ts-expect-error a required parameter
    () => client.getDataAds({ id: 'l', start: '', end: '' }),
    // @ts-expect-error a long id does not survive as a number
    () => client.getDataAds({ ...ASKED, value: 12 }),
    // @ts-expect-error a parameter that it does not have
    () => client.getDataBlogPortal1({ id: 'l', start: '', end: '', value: 'x' }),
    // @ts-expect-error only statistics come as CSV
    () => client.getLink({}, { as: 'csv' }),
    // @ts-expect-error changes come with a cursor of their own
    () => client.entriesOf('getChanges'),
    // @ts-expect-error an unknown channel
    () => client.postRefresh({ body: { type: 'RADIO' } }),
  ];
  expect(refused).toHaveLength(6);
});
