import type { ServerResponse } from 'node:http';
import {
  AuthLostError,
  type Clock,
  FatalError,
  RateLimitedError,
  RetryableError,
} from '@tributary/runtime';
import type { Entity, Observed, Source } from '@tributary/shared';
import type { Connector, RateBudget } from '../connector.ts';
import {
  json,
  type Script,
  type ScriptedServer,
  type Seen,
  startScriptedServer,
} from './scripted-server.ts';

/** What the battery must know of a connector; all answers are in the platform's dialect. */
export interface ContractSubject {
  /** Opens the connector against a server; `close` ends its connections. */
  open(deps: { baseUrl: string; budget: RateBudget; clock: Clock }): {
    connector: Connector;
    close(): Promise<void>;
  };
  credentials: Record<string, unknown>;
  settings(baseUrl: string): Record<string, unknown>;
  /** Words that must appear in no error. */
  secrets: readonly string[];
  /** How many allowances a call takes from; default 1. */
  leaves?(seen: Seen): number;
  /** Answers what comes before the rows: tokens, jobs. True when it did; such calls are not counted. */
  prelude?(seen: Seen, res: ServerResponse): boolean;
  /** What the calls of listAccounts are answered with; a function answers call by call. */
  accountsAnswer: unknown;
  accounts: readonly unknown[];
  /** What the calls of listEntities are answered with, and what comes out; absent for a blog. */
  entities?: { answer(seen: Seen): unknown; expected: readonly Entity[] };
  request: {
    account: { id: string; zone: string; currency: string };
    source: Source;
    from: string;
    to: string;
  };
  /** An answer with rows, and the cursor of the next page where there is one; a text is sent as it is. */
  page(rows: readonly unknown[], next: string | undefined): unknown;
  /** The cursor that a call asks for, null for a first page; absent where the platform answers everything at once. */
  cursorOf?(seen: Seen): string | null;
  /** The rows of two pages; where there are no pages, all rows of the one answer. */
  rows: readonly [first: unknown[], second: unknown[]];
  /** What all rows are in our units, worked out by hand. */
  observed: readonly Observed[];
  /** Spoils the last row of a page. */
  spoilt: readonly unknown[];
  throttle(res: ServerResponse): void;
  authLost(res: ServerResponse): void;
}

/** A budget that grants everything and remembers what it was told. */
export function createOpenBudget() {
  const blocked = new Map<string, number>();
  const taken: string[] = [];
  const budget: RateBudget = {
    take: async (key) => {
      taken.push(key);
    },
    block: async (key, until) => {
      blocked.set(key, until);
    },
  };
  return { budget, blocked, taken };
}

/** Everything a connector gave out, and the error that ended it. */
export async function drain(pages: AsyncIterable<Observed[]>) {
  const observed: Observed[] = [];
  try {
    for await (const page of pages) observed.push(...page);
  } catch (error) {
    return { observed, error: error as Error & { code?: string } }; // Connectors throw Errors only.
  }
  return { observed, error: undefined };
}

/** What every connector must do, whatever its platform. */
export function describeConnectorContract(name: string, subject: ContractSubject): void {
  describe(`the contract of connectors: ${name}`, () => {
    const clock: Clock = { now: () => Date.UTC(2026, 10, 21, 12) };
    let server: ScriptedServer;
    let opened: ReturnType<ContractSubject['open']>;
    let budget: ReturnType<typeof createOpenBudget>;
    beforeEach(async () => {
      server = await startScriptedServer();
      budget = createOpenBudget();
      opened = subject.open({ baseUrl: server.url, budget: budget.budget, clock });
    });
    afterEach(async () => {
      await opened.close();
      await server.close();
    });

    const expectNoSecret = (error: Error | undefined) => {
      for (const secret of subject.secrets) expect(`${error?.stack}`).not.toContain(secret);
    };
    const access = (signal = new AbortController().signal) => ({
      link: 'link1',
      credentials: opened.connector.CredentialsSchema.parse(subject.credentials),
      settings: opened.connector.SettingsSchema.parse(subject.settings(server.url)),
      signal,
    });
    const collect = (signal?: AbortSignal) =>
      drain(
        opened.connector.collect({
          ...access(signal),
          ...subject.request,
          onReport: async () => {},
        }),
      );
    /** The calls that the test answered itself, without those before the rows. */
    let calls: Seen[];
    const serve = (script: Script) => {
      calls = [];
      server.answer((seen, res) => {
        if (subject.prelude?.(seen, res)) return;
        calls.push(seen);
        script(seen, res);
      });
    };
    const { cursorOf } = subject;
    /** Serves all rows; `second` may replace the rows and the cursor of the last page, or the last rows of the only one. */
    const servePages = (second: { rows?: readonly unknown[]; next?: string } = {}) =>
      serve((seen, res) => {
        const last = second.rows ?? subject.rows[1];
        if (!cursorOf) send(res, subject.page([...subject.rows[0], ...last], undefined));
        else if (cursorOf(seen) === 'cursor-1') send(res, subject.page(last, second.next));
        else send(res, subject.page(subject.rows[0], 'cursor-1'));
      });
    const pagedTest = cursorOf ? test : undefined;

    test('gives the rows of all pages in our units and words', async () => {
      servePages();
      const { observed, error } = await collect();
      expect(error).toBeUndefined();
      expect(sorted(observed)).toEqual(sorted(subject.observed));
      expect(calls).toHaveLength(cursorOf ? 2 : 1);
    });

    pagedTest?.('goes on after an empty page that names a next one', async () => {
      serve((seen, res) => {
        if (cursorOf?.(seen) === null) send(res, subject.page([], 'cursor-0'));
        else send(res, subject.page(subject.rows[0], undefined));
      });
      const { observed, error } = await collect();
      expect(error).toBeUndefined();
      expect(observed.length).toBeGreaterThan(0);
    });

    test('takes leave of the budget before every call', async () => {
      servePages();
      await collect();
      const { leaves = () => 1 } = subject;
      const needed = server.seen.reduce((sum, seen) => sum + leaves(seen), 0);
      expect(budget.taken).toHaveLength(needed);
    });

    pagedTest?.('ends a list whose cursor comes again as repeated_page', async () => {
      servePages({ rows: [], next: 'cursor-1' });
      const { error } = await collect();
      expect(error).toBeInstanceOf(RetryableError);
      expect(error?.code).toBe('repeated_page');
      expect(calls.length).toBeLessThan(5);
    });

    test('never adds up a row that comes twice, in one answer or as a page', async () => {
      servePages({ rows: subject.rows[0] });
      const { error } = await collect();
      expect(error).toBeInstanceOf(RetryableError);
      expect(['repeated_page', 'duplicate_row']).toContain(error?.code);
    });

    test('gives out nothing of a malformed page', async () => {
      servePages({ rows: subject.spoilt });
      const whole = await collect();
      serve((_seen, res) => send(res, subject.page(subject.spoilt, undefined)));
      const alone = await collect();
      expect(whole.error).toBeInstanceOf(RetryableError);
      expect(whole.error?.message).toMatch(/'.*'/);
      expect(alone.observed).toEqual([]);
    });

    test("reports the platform's throttle with a time, and blocks the budget until then", async () => {
      serve((_seen, res) => subject.throttle(res));
      const { error } = await collect();
      expect(error).toBeInstanceOf(RateLimitedError);
      const { until } = error as RateLimitedError; // The assertion above has proved it.
      expect(until).toBeGreaterThan(clock.now());
      expect(until).toBeLessThanOrEqual(clock.now() + 3_600_000);
      expect([...budget.blocked.values()]).toContain(until);
      expect(calls).toHaveLength(1);
      expectNoSecret(error);
    });

    test('reports a lost grant with a sentence, without a second call', async () => {
      serve((_seen, res) => subject.authLost(res));
      const { error } = await collect();
      expect(error).toBeInstanceOf(AuthLostError);
      expect(error?.message).toMatch(/\.$/);
      expect(calls).toHaveLength(1);
      expectNoSecret(error);
    });

    test.each(['collect', 'listAccounts'] as const)('refuses a redirect in %s', async (method) => {
      const other = await startScriptedServer();
      serve((_seen, res) => res.writeHead(302, { location: `${other.url}/` }).end());
      const called = method === 'collect' ? collect() : opened.connector.listAccounts(access());
      const error = await called.then(
        (answer) => ('error' in answer ? answer.error : undefined),
        (reason: unknown) => reason,
      );
      await other.close();
      expect(error).toBeInstanceOf(FatalError);
      expect(calls).toHaveLength(1);
      expect(other.seen).toHaveLength(0);
    });

    test.each([
      ['HTML', (res: ServerResponse) => res.writeHead(200).end('<html>maintenance</html>')],
      ['nothing', (res: ServerResponse) => res.writeHead(200).end()],
      ['null', (res: ServerResponse) => json(res, null)],
      ['half a JSON text', (res: ServerResponse) => res.writeHead(200).end('{"data":[{')],
      ['a 503 page', (res: ServerResponse) => res.writeHead(503).end('<html>busy</html>')],
      ['a cut connection', (res: ServerResponse) => res.destroy()],
    ])('takes %s as worth another attempt and gives nothing out', async (_name, answer) => {
      serve((_seen, res) => answer(res));
      const { observed, error } = await collect();
      expect(error).toBeInstanceOf(RetryableError);
      expect(observed).toEqual([]);
      expectNoSecret(error);
    });

    test('takes a body that is cut in its last page as worth another attempt', async () => {
      serve((seen, res) => {
        const text = textOf(subject.page(subject.rows[0], cursorOf && 'cursor-1'));
        res.writeHead(200, { 'content-length': String(Buffer.byteLength(text)) });
        if (cursorOf?.(seen) === null) return res.end(text);
        return res.write(text.slice(0, 20), () => res.destroy());
      });
      expect((await collect()).error).toBeInstanceOf(RetryableError);
    });

    test("ends within a second of the caller's abort, with the caller's reason", async () => {
      serve(() => {});
      const controller = new AbortController();
      const reason = new Error('the turn is over');
      setTimeout(() => controller.abort(reason), 50);
      const started = Date.now();
      const { error } = await collect(controller.signal);
      expect(error).toBe(reason);
      expect(Date.now() - started).toBeLessThan(1_000);
    });

    test('lists the accounts', async () => {
      const { accountsAnswer: answer } = subject;
      serve((seen, res) => send(res, typeof answer === 'function' ? answer(seen) : answer));
      expect(await opened.connector.listAccounts(access())).toEqual(subject.accounts);
    });

    const { entities } = subject;
    (entities ? test : undefined)?.(
      'lists the entities, each below one that is listed',
      async () => {
        serve((seen, res) => send(res, entities?.answer(seen)));
        const listed: Entity[] = [];
        const { account } = subject.request;
        for await (const page of opened.connector.listEntities({ ...access(), account })) {
          listed.push(...page);
        }
        const byId = ({ level, id }: Entity) => `${level} ${id}`;
        const order = (a: Entity, b: Entity) => (byId(a) < byId(b) ? -1 : 1);
        expect(listed.toSorted(order)).toEqual([...(entities?.expected ?? [])].toSorted(order));
        const known = new Set(listed.map(({ id }) => id));
        for (const { level, parent } of listed) {
          if (level !== 'c') expect(known).toContain(parent);
        }
      },
    );

    test('refuses credentials and settings that it does not know', () => {
      const { CredentialsSchema, SettingsSchema } = opened.connector;
      const more = { surprise: 1 };
      expect(CredentialsSchema.safeParse({ ...subject.credentials, ...more }).success).toBe(false);
      const settings = subject.settings(server.url);
      expect(SettingsSchema.safeParse({ ...settings, ...more }).success).toBe(false);
    });
  });
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function send(res: ServerResponse, body: unknown): void {
  if (typeof body === 'string') res.writeHead(200).end(body);
  else json(res, body);
}

/** Pieces of one day and set joined, so that their number and order play no part. */
function sorted(observed: readonly Observed[]) {
  const days = new Map<string, string[]>();
  for (const { day, set, rows } of observed) {
    const id = `${day} ${set}`;
    days.set(id, [...(days.get(id) ?? []), ...rows.map((row) => JSON.stringify(row))]);
  }
  return [...days].map(([id, rows]) => [id, ...rows.toSorted()].join('\n')).toSorted();
}
