import type { ServerResponse } from 'node:http';
import {
  AuthLostError,
  type Clock,
  FatalError,
  RateLimitedError,
  RetryableError,
} from '@tributary/runtime';
import type { Observed, Source } from '@tributary/shared';
import type { Connector, RateBudget } from '../connector.ts';
import { json, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

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
  /** What the call of listAccounts is answered with. */
  accountsAnswer: unknown;
  accounts: readonly unknown[];
  request: {
    account: { id: string; zone: string; currency: string };
    source: Source;
    from: string;
    to: string;
  };
  /** A page of rows, with the cursor of the next one. */
  page(rows: readonly unknown[], next: string | undefined): unknown;
  cursorParam: string;
  rows: readonly [first: unknown[], second: unknown[]];
  /** What the two pages are in our units, worked out by hand. */
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
    /** Serves two pages; `second` may replace the rows and the cursor of the last. */
    const servePages = (second: { rows?: readonly unknown[]; next?: string } = {}) =>
      server.answer(({ url }, res) => {
        const isSecond = url.searchParams.get(subject.cursorParam) === 'cursor-1';
        json(
          res,
          isSecond
            ? subject.page(second.rows ?? subject.rows[1], second.next)
            : subject.page(subject.rows[0], 'cursor-1'),
        );
      });

    test('gives the rows of all pages in our units and words', async () => {
      servePages();
      const { observed, error } = await collect();
      expect(error).toBeUndefined();
      expect(sorted(observed)).toEqual(sorted(subject.observed));
      expect(server.seen).toHaveLength(2);
    });

    test('goes on after an empty page that names a next one', async () => {
      server.answer(({ url }, res) => {
        const cursor = url.searchParams.get(subject.cursorParam);
        if (cursor === null) json(res, subject.page([], 'cursor-0'));
        else json(res, subject.page(subject.rows[0], undefined));
      });
      const { observed, error } = await collect();
      expect(error).toBeUndefined();
      expect(observed.length).toBeGreaterThan(0);
    });

    test('takes leave of the budget before every call', async () => {
      servePages();
      await collect();
      expect(budget.taken).toHaveLength(server.seen.length);
    });

    test('ends a list whose cursor comes again as repeated_page', async () => {
      servePages({ rows: [], next: 'cursor-1' });
      const { error } = await collect();
      expect(error).toBeInstanceOf(RetryableError);
      expect(error?.code).toBe('repeated_page');
      expect(server.seen.length).toBeLessThan(5);
    });

    test('never adds up a page that comes twice', async () => {
      servePages({ rows: subject.rows[0] });
      const { error } = await collect();
      expect(error).toBeInstanceOf(RetryableError);
      expect(['repeated_page', 'duplicate_row']).toContain(error?.code);
    });

    test('gives out nothing of a malformed page', async () => {
      servePages({ rows: subject.spoilt });
      const whole = await collect();
      server.answer((_seen, res) => json(res, subject.page(subject.spoilt, undefined)));
      const alone = await collect();
      expect(whole.error).toBeInstanceOf(RetryableError);
      expect(whole.error?.message).toMatch(/'.*'/);
      expect(alone.observed).toEqual([]);
    });

    test("reports the platform's throttle with a time, and blocks the budget until then", async () => {
      server.answer((_seen, res) => subject.throttle(res));
      const { error } = await collect();
      expect(error).toBeInstanceOf(RateLimitedError);
      const { until } = error as RateLimitedError; // The assertion above has proved it.
      expect(until).toBeGreaterThan(clock.now());
      expect(until).toBeLessThanOrEqual(clock.now() + 3_600_000);
      expect([...budget.blocked.values()]).toEqual([until]);
      expect(server.seen).toHaveLength(1);
    });

    test('reports a lost grant with a sentence, without a second call', async () => {
      server.answer((_seen, res) => subject.authLost(res));
      const { error } = await collect();
      expect(error).toBeInstanceOf(AuthLostError);
      expect(error?.message).toMatch(/\.$/);
      expect(server.seen).toHaveLength(1);
    });

    test.each(['collect', 'listAccounts'] as const)('refuses a redirect in %s', async (method) => {
      const other = await startScriptedServer();
      server.answer((_seen, res) => res.writeHead(302, { location: `${other.url}/` }).end());
      const called = method === 'collect' ? collect() : opened.connector.listAccounts(access());
      const error = await called.then(
        (answer) => ('error' in answer ? answer.error : undefined),
        (reason: unknown) => reason,
      );
      await other.close();
      expect(error).toBeInstanceOf(FatalError);
      expect(server.seen).toHaveLength(1);
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
      server.answer((_seen, res) => answer(res));
      const { observed, error } = await collect();
      expect(error).toBeInstanceOf(RetryableError);
      expect(observed).toEqual([]);
      for (const secret of subject.secrets) expect(`${error?.stack}`).not.toContain(secret);
    });

    test('takes a body that is cut after its first page as worth another attempt', async () => {
      server.answer(({ url }, res) => {
        const text = JSON.stringify(subject.page(subject.rows[0], 'cursor-1'));
        res.writeHead(200, { 'content-length': String(text.length) });
        if (!url.searchParams.has(subject.cursorParam)) return res.end(text);
        return res.write(text.slice(0, 20), () => res.destroy());
      });
      expect((await collect()).error).toBeInstanceOf(RetryableError);
    });

    test("ends within a second of the caller's abort, with the caller's reason", async () => {
      server.answer(() => {});
      const controller = new AbortController();
      const reason = new Error('the turn is over');
      setTimeout(() => controller.abort(reason), 50);
      const started = Date.now();
      const { error } = await collect(controller.signal);
      expect(error).toBe(reason);
      expect(Date.now() - started).toBeLessThan(1_000);
    });

    test('lists the accounts', async () => {
      server.answer((_seen, res) => json(res, subject.accountsAnswer));
      expect(await opened.connector.listAccounts(access())).toEqual(subject.accounts);
    });

    test('refuses credentials and settings that it does not know', () => {
      const { CredentialsSchema, SettingsSchema } = opened.connector;
      const more = { surprise: 1 };
      expect(CredentialsSchema.safeParse({ ...subject.credentials, ...more }).success).toBe(false);
      const settings = subject.settings(server.url);
      expect(SettingsSchema.safeParse({ ...settings, ...more }).success).toBe(false);
    });
  });
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
