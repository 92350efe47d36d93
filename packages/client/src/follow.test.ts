import { CursorExpiredError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import { json, listOf, problem, scriptedClient, thrownBy } from './testing/scripted-client.ts';

const change = (id: string) => ({ at: '', id, account: 'a', level: 'ad', days: ['2026-11-01'] });
const page = (ids: string[], cursor: string, more: boolean) =>
  json({ changes: ids.map(change), cursor, more });

describe('followChanges', () => {
  it('ends where nothing more is there', async () => {
    const { client, sent } = scriptedClient([page(['1'], 'c1', true), page([], 'c1', false)]);
    const pages = await listOf(client.followChanges({ cursor: 'c0', limit: 7 }));
    expect(pages).toEqual([{ changes: [change('1')], cursor: 'c1' }]);
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'cursor=c0&limit=7',
      'cursor=c1&limit=7',
    ]);
  });

  it('tells a first cursor although nothing moved yet', async () => {
    const { client } = scriptedClient([page([], 'c1', false)]);
    expect(await listOf(client.followChanges())).toEqual([{ changes: [], cursor: 'c1' }]);
  });

  it('asks again after a while, until its signal ends it', async () => {
    const controller = new AbortController();
    const { client, waits } = scriptedClient([
      page(['1'], 'c1', false),
      page([], 'c1', false),
      page(['2'], 'c2', false),
    ]);
    const seen: string[] = [];
    const work = (async () => {
      const { signal } = controller;
      for await (const { changes, cursor } of client.followChanges({ pollMs: 9_000, signal })) {
        seen.push(`${changes[0]?.id} ${cursor}`);
        if (cursor === 'c2') controller.abort(new Error('enough'));
      }
    })();
    expect(await thrownBy(work)).toMatchObject({ message: 'enough' });
    expect([seen, waits]).toEqual([
      ['1 c1', '2 c2'],
      [9_000, 9_000],
    ]);
  });

  it('throws for an expired cursor', async () => {
    const { client } = scriptedClient([problem(410, 'cursor_expired')]);
    const work = listOf(client.followChanges({ cursor: 'old' }));
    expect(await thrownBy(work)).toBeInstanceOf(CursorExpiredError);
  });

  it('ends with an error where the cursor does not move on', async () => {
    const { client } = scriptedClient([page([], 'c1', true), page(['1'], 'c1', true)]);
    const work = listOf(client.followChanges());
    expect(await thrownBy(work)).toBeInstanceOf(UnexpectedAnswerError);
  });
});

describe('waitForRefresh', () => {
  const run = (percent: number, done: number, failed = 0, ...given: object[]) => {
    const links = given.length > 0 ? given : [{ status: 'Completed' }];
    const records = links.map((link) => ({ id: 'l', reason: null, ...link }));
    return json({ percent, planned: 4, done, failed, links: records });
  };

  it('looks until everything is done', async () => {
    const { client, sent, waits } = scriptedClient([run(0, 0), run(50, 2), run(100, 4)]);
    expect(await client.waitForRefresh('r1', { pollMs: 500 })).toMatchObject({ percent: 100 });
    expect(waits).toEqual([500, 500]);
    expect(sent[0]?.url).toBe('https://api.example.com/base/refresh/r1');
  });

  it.each([
    ['the rest failed', run(75, 3, 1)],
    ['every link waits for a person', run(0, 0, 0, { status: 'Disconnect' })],
    [
      'all is done but of a link that waits for a person',
      run(99, 4, 0, { status: 'Disconnect' }, { status: 'Completed' }),
    ],
    ['every link is paused', run(0, 0, 0, { status: 'Completed', paused: true })],
  ])('ends when %s', async (_, last) => {
    const { client } = scriptedClient([run(25, 1), last]);
    const { percent } = await client.waitForRefresh('r1');
    expect(percent).toBeLessThan(100);
  });

  it.each([
    ['one', [{ status: 'Linking' }]],
    ['one beside a link that is read', [{ status: 'Linking' }, { status: 'Completed' }]],
    ['one beside a link that waits', [{ status: 'Linking' }, { status: 'Disconnect' }]],
  ])('goes on while the accounts of a link are not listed: %s', async (_, links) => {
    const known = run(99, 4, 0, ...links);
    const { client, sent } = scriptedClient([known, known, run(100, 4)]);
    expect(await client.waitForRefresh('r1', { pollMs: 500 })).toMatchObject({ percent: 100 });
    expect(sent).toHaveLength(3);
  });

  it('gives up in time', async () => {
    const { client, sent } = scriptedClient([run(0, 0), run(0, 0), run(25, 1)]);
    const error = await thrownBy(client.waitForRefresh('r1', { timeoutMs: 1_200, pollMs: 500 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      message: "The refresh 'r1' is at 25 % after 1200 ms; it goes on all the same",
    });
    expect(sent).toHaveLength(3);
  });
});
