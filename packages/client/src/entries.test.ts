import { nextCursor } from './entries.ts';
import { UnexpectedAnswerError } from './errors.ts';
import { json, listOf, scriptedClient, thrownBy } from './testing/scripted-client.ts';

const next = (query: string) => ({ Link: `<?${query}>; rel="next"` });
const entity = (id: string) => ({ id, title: id, level: 'ad', status: 'active', parent: 'g' });

describe('entriesOf', () => {
  it('goes through every page, by cursor, and ends', async () => {
    const { client, sent } = scriptedClient([
      json([entity('1'), entity('2')], next('id=l&level=ad&limit=2&cursor=c%2B1')),
      json([], next('cursor=c2')),
      json([entity('3')]),
    ]);
    const found = await listOf(client.entriesOf('getLinkEntities', { id: 'l', level: 'ad' }));
    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'id=l&level=ad&limit=500',
      'id=l&level=ad&limit=500&cursor=c%2B1',
      'id=l&level=ad&limit=500&cursor=c2',
    ]);
  });

  it('asks for no page before it is wanted', async () => {
    const { client, sent } = scriptedClient([json([entity('1')], next('cursor=c'))]);
    for await (const { id } of client.entriesOf('getLink', { limit: 1 })) {
      expect(id).toBe('1');
      break;
    }
    expect(sent).toHaveLength(1);
  });

  it('never sends the key where the header points to', async () => {
    const { client, sent } = scriptedClient([
      json([], { Link: '<https://evil.example/link?cursor=c>; rel="next"' }),
      json([]),
    ]);
    await listOf(client.entriesOf('getComment'));
    expect(sent[1]?.url).toBe('https://api.example.com/base/comment?limit=500&cursor=c');
  });

  it('ends with an error where a page names itself', async () => {
    const page = () => json([], next('cursor=c'));
    const { client, sent } = scriptedClient([page(), page(), page()]);
    expect(await thrownBy(listOf(client.entriesOf('getComment')))).toBeInstanceOf(
      UnexpectedAnswerError,
    );
    expect(sent).toHaveLength(2);
  });
});

test.each([
  ['', undefined],
  ['<?cursor=a>; rel="next"', 'a'],
  ['<?cursor=b>; rel="prev", <?x=1,2&cursor=a%20b>; rel=next', 'a b'],
  ['<?cursor=b>; rel="previous"', undefined],
  ['<?limit=2>; rel="next"', undefined],
  ['<?cursor=a#x>; title="n"; rel="next"', 'a'],
])('the header %j names the cursor %j', (header, cursor) => {
  expect(nextCursor(header)).toBe(cursor);
});
