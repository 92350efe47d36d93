import { createLogger, type LogFields } from './logger.ts';
import { maskSecrets } from './mask.ts';

function capture(level: 'trace' | 'info' = 'info') {
  const lines: string[] = [];
  const logger = createLogger({
    name: 'test',
    level,
    destination: { write: (line: string) => lines.push(line) },
  });
  return { logger, lines, text: () => lines.join('') };
}

const CANARY = 'hunter2canary';

describe('createLogger', () => {
  it('writes JSON lines with allowed fields, level word and message', () => {
    const { logger, lines } = capture();
    logger.info({ link: 'abc', rows: 12, days: ['2026-11-01'], until: 5n }, 'Stored 100% of it %s');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      name: 'test',
      link: 'abc',
      rows: 12,
      days: ['2026-11-01'],
      until: '5',
      msg: 'Stored 100% of it %s',
    });
  });

  it('drops fields that are not on the list, and objects inside allowed ones', () => {
    const { logger, text } = capture();
    // The cast stands for code that got past the compiler.
    const fields = {
      password: CANARY,
      Authorization: CANARY,
      req: { headers: { authorization: CANARY } },
      status: { token: CANARY },
      rows: [{ token: CANARY }, [CANARY]],
    } as unknown as LogFields;
    logger.info(fields, 'A line');
    logger.child(fields).info('Another line');
    expect(text()).not.toContain(CANARY);
    expect(text()).toContain('Another line');
  });

  it('describes an error and its causes by type, code, message and stack only, masked', () => {
    const { logger, lines, text } = capture();
    const cause = Object.assign(new Error(`refresh_token=${CANARY} was refused`), {
      config: { headers: { 'x-api-key': CANARY } },
    });
    const err = Object.assign(
      new RangeError(`GET https://p.example/v1?key=${CANARY} failed`, { cause }),
      {
        code: 'E_FAIL',
        response: { body: CANARY },
      },
    );
    logger.error({ err }, 'It failed');
    expect(text()).not.toContain(CANARY);
    const { err: written } = JSON.parse(lines[0] ?? '') as { err: object };
    expect(Object.keys(written)).toEqual(['type', 'message', 'code', 'stack', 'cause']);
    expect(written).toMatchObject({
      type: 'RangeError',
      code: 'E_FAIL',
      message: 'GET https://p.example/v1?[masked] failed',
      cause: { message: 'refresh_token=[masked] was refused' },
    });
  });

  it('survives whatever was thrown: nothing, a text, a loop of causes', () => {
    const { logger, lines } = capture();
    const loop = new Error('loop');
    loop.cause = loop;
    for (const err of [undefined, null, `password: ${CANARY}`, { secret: CANARY }, loop]) {
      logger.error({ err }, 'Thrown');
    }
    expect(lines).toHaveLength(5);
    expect(lines.join('')).not.toContain(CANARY);
  });

  it('writes nothing below its level', () => {
    const { logger, lines } = capture();
    logger.debug('too fine');
    expect(lines).toHaveLength(0);
  });
});

describe('maskSecrets', () => {
  // The eleven planted secrets, in every place where a list of forbidden paths lost some of them.
  it.each([
    `Authorization: Bearer ${CANARY}`,
    `authorization: Basic ${CANARY}==`,
    `{"accessToken":"${CANARY}","n":1}`,
    `{"CLIENT_SECRET": "${CANARY} with spaces"}`,
    `"{\\"refresh_token\\":\\"${CANARY}\\"}"`,
    `password='${CANARY} and more'`,
    `x-api-key=${CANARY}`,
    `developer-token: ${CANARY}`,
    `mongodb://root:${CANARY}@db.example:27017/x`,
    `redis://:${CANARY}@cache.example:6379`,
    `https://platform.example/v1/report?q=${CANARY}&b=${CANARY}`,
    `key trb_ab12cd34_${CANARY}0123456789abcdefghijklmnop_abc`,
    `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`,
    `set-cookie: sid=${CANARY}`,
    `X-Signature: ${CANARY}`,
    `CredentialError: token=${CANARY}`,
  ])('hides the secret in: %s', (text) => {
    expect(maskSecrets(text)).not.toContain(CANARY);
  });

  it.each([
    'Link abcdefghijklmnop is Completed',
    'GET /data/campaign answered 200 in 12 ms',
    'request 0b8e1f1a-6a57-4a0f-9be9-0a4f3f0f2a11',
    'at collectWindow (/app/packages/connectors/dist/social-ads/client.js:12:34)',
    'abcdefghijklmnop.1234567890123456.2026-11',
    "CredentialError: Key 'docs1' of CREDENTIALS_KEYS is missing",
  ])('leaves ordinary text alone: %s', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it('is done with hostile text in bounded time', () => {
    const started = performance.now();
    for (const piece of ['token', 'a-', '"\\', 'http://', '://@', 'eyJ.', '= ', 'secret"\\:']) {
      maskSecrets(piece.repeat(100_000));
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
