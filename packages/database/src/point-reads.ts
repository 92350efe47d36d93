import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { plainText } from './tenant-scope.ts';

/** More than one round of the event loop asks for only under a load that no single process bears. */
const IDS_MAX = 100;

/** Documents of one collection by their ids. */
export type PointReads<Doc> = (db: Database, id: string) => Promise<Doc | undefined>;

interface Question<Doc> {
  id: string;
  answer(doc: Doc | undefined): void;
  fail(cause: unknown): void;
}

/**
 * Reads single documents, all that one round of the event loop asks for with one query: under load a round trip serves many
 * requests. Nothing is kept: every query begins after the last of its questions.
 */
export function createPointReads<Doc extends { _id: string }>(
  collectionOf: (db: Database) => Collection<Doc>,
): PointReads<Doc> {
  const open = new WeakMap<Database, Question<Doc>[]>();

  async function ask(db: Database, questions: readonly Question<Doc>[]): Promise<void> {
    try {
      const ids = [...new Set(questions.map(({ id }) => id))];
      const found = await collectionOf(db)
        .find<Doc>({ _id: { $in: ids } } as object, READ)
        .toArray();
      const byId = new Map(found.map((doc) => [doc._id, doc]));
      for (const { id, answer } of questions) answer(byId.get(id));
    } catch (cause) {
      for (const { fail } of questions) fail(cause);
    }
  }

  function askAll(db: Database): void {
    const questions = open.get(db) ?? [];
    open.delete(db);
    for (let start = 0; start < questions.length; start += IDS_MAX) {
      void ask(db, questions.slice(start, start + IDS_MAX)); // tells every question, never throws
    }
  }

  return (db, id) => {
    plainText('id', id);
    return new Promise((answer, fail) => {
      const question = { id, answer, fail };
      const questions = open.get(db);
      if (questions) {
        questions.push(question);
        return;
      }
      open.set(db, [question]);
      setImmediate(askAll, db);
    });
  };
}
