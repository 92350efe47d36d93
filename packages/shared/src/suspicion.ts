import type { Millis } from './account.ts';

/** An answer under this share of the spend that was stored for the same day is not believed at once. */
const SPEND_SHARE_MIN = 0.2;
const ANSWERS_MIN = 3;
const SINCE_MS = 6 * 60 * 60_000;
/** A suspicious answer is asked for again after this: the third equal one comes six hours after the first. */
export const SUSPECT_RETRY_MS = 3 * 60 * 60_000;

/** How much an answer for one source and day holds. */
export interface AnswerSize {
  rows: number;
  /** Spend of the totals in micros; undefined for lists and the blog. */
  spend?: number | undefined;
}

/** An answer that is not believed yet. */
export interface Suspicion {
  digest: string;
  /** When it was first given, and how often since. */
  since: Millis;
  answers: number;
}

/**
 * Judges an answer by what is stored for the same day: platforms now and then answer with nothing, or with a fraction,
 * and mean it no more than an error. Three equal answers over six hours are believed.
 *
 * @returns undefined when the answer is to be stored
 */
export function suspect(
  answer: AnswerSize & { digest: string; at: Millis },
  stored: AnswerSize | undefined,
  earlier: Suspicion | undefined,
): Suspicion | undefined {
  if (!stored || !isSuspicious(answer, stored)) return undefined;
  if (earlier?.digest !== answer.digest) {
    return { digest: answer.digest, since: answer.at, answers: 1 };
  }
  const answers = earlier.answers + 1;
  if (answers >= ANSWERS_MIN && answer.at - earlier.since >= SINCE_MS) return undefined;
  return { ...earlier, answers };
}

function isSuspicious(answer: AnswerSize, stored: AnswerSize): boolean {
  if (answer.rows === 0 && stored.rows > 0) return true;
  if (answer.spend === undefined || stored.spend === undefined) return false;
  return answer.spend < stored.spend * SPEND_SHARE_MIN;
}
