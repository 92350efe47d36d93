// @ts-check
import { createCampaign } from './campaign.mjs';
import { markerOf } from './random.mjs';

/**
 * A campaign against an API of which only the outside is there.
 * @param {{ workMs?: number[], statuses?: number[], carrying?: [string, string][], marked?: string[], errors?: string[] }} script what comes, round by round
 */
async function attack({ workMs = [], statuses = [], carrying = [], marked = [], errors = [] }) {
  const request = (/** @type {number} */ index, /** @type {string} */ kind) => ({
    index,
    kind,
    what: '',
    method: 'GET',
    target: '/',
    headers: [],
    body: undefined,
    raw: undefined,
    isAlone: false,
    secrets: [],
    stored: undefined,
    caller: /** @type {const} */ ('own'),
  });
  /** @type {string[][]} */
  const restored = [];
  let round = 0;
  const campaign = createCampaign(
    {
      plan: {
        requestOf: (index) => request(index, 'hostile'),
        lawfulOf: (index) => request(index, 'valid'),
      },
      tally: { add: () => {} },
      onRound: () => {},
      state: { restore: async (names) => void restored.push([...names]) },
      judge: (_, { status }) => ({
        findings: status >= 500 ? [String(status)] : [],
        operation: undefined,
      }),
      sender: {
        async send(requests, onAnswer) {
          for (const one of requests) {
            const status = (one.kind === 'hostile' && statuses.shift()) || 200;
            onAnswer(one, { status, headers: [], body: Buffer.alloc(0), isLast: false });
          }
        },
      },
      api: {
        isRunning: () => true,
        takeErrors: () => (round < 2 ? [] : errors.splice(0)),
        async look() {
          round += 1;
          const isAttack = round > 2;
          const operators = ['find links.filter.idx.$gt'];
          const seen = {
            operators,
            written: ['links'],
            commands: 1,
            gapMs: 300,
            rssMib: 1,
            polluted: [],
          };
          return {
            ...seen,
            workMs: (isAttack && workMs.shift()) || 1,
            carrying: isAttack ? carrying : [],
            marked: isAttack ? marked : [],
          };
        },
      },
    },
    new AbortController().signal,
  );
  await campaign.learn();
  await campaign.attack(0, 10);
  const texts = campaign.outcome.findings.map(({ index, text }) => `${index}: ${text}`);
  return { texts, outcome: campaign.outcome, restored };
}

test('the store is put back after every round', async () => {
  const { texts, restored } = await attack({});
  expect(texts).toEqual([]);
  expect(restored).toEqual([['links'], ['links'], ['links']]);
});

test('a pause is found when it comes every time, and told as noise when it does not', async () => {
  const { texts, outcome } = await attack({ workMs: [180, 150, 160] });
  expect(texts).toEqual([expect.stringContaining('held up for 150 ms between requests 0 and 9')]);
  expect(outcome.findings).toMatchObject([{ index: 0, last: 9 }]);
  const noise = await attack({ workMs: [180, 20] });
  expect(noise.texts).toEqual([]);
  expect(noise.outcome).toMatchObject({ noiseMs: 180, pauseMs: 20, gapMs: 300 });
});

test('503 is found when it comes again to a request that is sent alone', async () => {
  expect((await attack({ statuses: [503] })).texts).toEqual([]);
  const again = [503, ...Array.from({ length: 9 }, () => 200), 503];
  expect((await attack({ statuses: again })).texts).toEqual(['0: 503']);
  expect((await attack({ statuses: [200, 500] })).texts).toEqual(['1: 500']);
});

test("an operator on a client's value is found where valid requests have none", async () => {
  const text = `x ${markerOf(7)}`;
  expect((await attack({ carrying: [['find links.filter.idx.$gt', text]] })).texts).toEqual([]);
  expect((await attack({ carrying: [['find links.filter.tag.$ne', text]] })).texts).toEqual([
    "7: an operator on a client's value where no valid request has one: find links.filter.tag.$ne",
  ]);
});

test("a client's value as a key is found, and an error in the log", async () => {
  const place = `find links.filter.tag.$ne_${markerOf(5)}`;
  expect((await attack({ marked: [place] })).texts).toEqual([
    expect.stringMatching(/^5: .*is a key/),
  ]);
  expect((await attack({ errors: ['{"level":"error"}'] })).texts).toEqual([
    'undefined: log: {"level":"error"}',
  ]);
});
