// @ts-check
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 500;
const chunkBytes = 1 << 16;
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/**
 * What the console shows of a log line: warnings and errors in short, and whatever is no JSON (a crash before the logger exists).
 * @param {string} line
 * @returns {string | undefined} undefined when it is not shown
 */
export function shortLine(line) {
  if (line.trim() === '') return undefined;
  const entry = parse(line);
  if (entry === undefined) return line;
  // The level is a word or pino's number: 40 is warn.
  const { level, msg, err } = entry;
  const rank = typeof level === 'number' ? level / 10 - 1 : levels.indexOf(String(level));
  if (rank < levels.indexOf('warn')) return undefined;
  const word = levels[Math.min(Math.floor(rank), levels.length - 1)];
  const cause = err?.message && err.message !== msg ? ` (${err.message})` : '';
  return `${word}: ${msg ?? ''}${cause}`;
}

/** @param {string} line */
function parse(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Follows a growing log from its beginning. The programs write into files instead of pipes: they never wait for us, nor fail when we die.
 * @param {string} file
 * @param {(line: string) => void} show
 * @returns {{ close(): Promise<void> }} reads what is left and ends
 */
export function followLog(file, show) {
  const stop = new AbortController();
  const follow = async () => {
    const handle = await open(file);
    let rest = '';
    // Decodes across the borders of chunks.
    const decoder = new TextDecoder();
    const read = async () => {
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes);
        if (bytesRead === 0) return;
        const lines = (
          rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })
        ).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const short = shortLine(line);
          if (short !== undefined) show(short);
        }
      }
    };
    try {
      while (!stop.signal.aborted) {
        await read();
        await delay(pollMs, undefined, { signal: stop.signal }).catch(() => {});
      }
      await read();
    } finally {
      await handle.close();
    }
  };
  const following = follow().catch((error) =>
    show(`error: ${file} can't be followed: ${error.message}`),
  );
  return {
    async close() {
      stop.abort();
      await following;
    },
  };
}
