import type { Answer, DataAnswer, NotModified } from './answer.ts';
import {
  type CallOptions,
  type ChangeOptions,
  call,
  type DataOptions,
  type OnceOptions,
} from './call.ts';
import { type ChangesOptions, type ChangesPage, followChanges } from './changes.ts';
import { readEntries } from './entries.ts';
import { OPERATIONS, type Operations, type RefreshRun } from './operations.ts';
import { type ClientOptions, readOptions } from './options.ts';
import type { Input, Operation } from './request.ts';
import { type WaitForRefreshOptions, waitForRefresh } from './wait-for-refresh.ts';

/** The name of an operation: `GET /link/coverage` is `getLinkCoverage`. */
export type OperationId = keyof Operations;
type Having<Mark extends string> = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends Record<Mark, true> ? Id : never;
}[OperationId];
/** Operations that answer statistics. */
export type DataOperationId = Having<'isData'>;
/** Operations that answer lists in pages. */
export type PagedOperationId = Having<'isPaged'>;

export type InputOf<Id extends OperationId> = Operations[Id]['input'];
export type AnswerOf<Id extends OperationId> = Operations[Id]['answer'];
type EntryOf<Id extends OperationId> =
  AnswerOf<Id> extends readonly (infer Entry)[] ? Entry : never;

/** What an operation takes besides its input: nothing has to be given where nothing is required. */
type Arguments<Id extends OperationId, Options> =
  Record<never, never> extends InputOf<Id>
    ? [input?: InputOf<Id>, options?: Options]
    : [input: InputOf<Id>, options?: Options];

type Body<Id extends OperationId, Options> = 'as' extends keyof Options
  ? Options['as'] extends 'csv'
    ? string
    : Options['as'] extends 'json' | undefined
      ? AnswerOf<Id>
      : AnswerOf<Id> | string
  : AnswerOf<Id>;

type DataMethod<Id extends OperationId> = <Options extends DataOptions = Record<never, never>>(
  ...given: Arguments<Id, Options>
) => Promise<
  DataAnswer<Body<Id, Options>> | ('ifNoneMatch' extends keyof Options ? NotModified : never)
>;

type OptionsOf<Id extends OperationId> =
  Id extends Having<'isOnce'>
    ? OnceOptions
    : Id extends Having<'isVersioned'>
      ? ChangeOptions
      : CallOptions;

type Method<Id extends OperationId> = Id extends DataOperationId
  ? DataMethod<Id>
  : (...given: Arguments<Id, OptionsOf<Id>>) => Promise<Answer<AnswerOf<Id>>>;

type Methods = { [Id in OperationId]: Method<Id> };

/**
 * One method for each operation of the API.
 *
 * Every method throws `ProblemError` for an error that the API tells, `NetworkError`, `TimeoutError`,
 * `UnexpectedAnswerError`, or the reason of its `signal`.
 */
export interface Client extends Methods {
  /** The entries of a list, over all its pages. */
  entriesOf<Id extends PagedOperationId>(
    id: Id,
    ...given: Arguments<Id, CallOptions>
  ): AsyncGenerator<EntryOf<Id>, void, undefined>;
  /**
   * The change feed, page by page. Keep a page's `cursor` once it is dealt with.
   *
   * @throws CursorExpiredError when the cursor is older than what is kept
   */
  followChanges(options?: ChangesOptions): AsyncGenerator<ChangesPage, void, undefined>;
  /**
   * Looks at a refresh until all of it is done, or was tried and failed, or every link waits for a person or is
   * paused: `percent`, `failures` and `links` tell.
   *
   * @throws TimeoutError when that takes too long; the refresh goes on all the same
   */
  waitForRefresh(run: string, options?: WaitForRefreshOptions): Promise<RefreshRun>;
}

/**
 * A client of one Tributary API.
 *
 * @throws TypeError naming an option that is not valid
 */
export function createClient(options: ClientOptions): Client {
  const settings = readOptions(options);
  const methods = Object.fromEntries(
    Object.entries(OPERATIONS).map(([id, operation]: [string, Operation]) => [
      id,
      (input: Input = {}, given: DataOptions & OnceOptions & ChangeOptions = {}) =>
        call(settings, operation, input, given),
    ]),
  ) as unknown as Methods; // made of the table that the types come from
  return {
    ...methods,
    entriesOf(id, ...[input = {}, given = {}]) {
      const read = methods[id] as unknown as PagedMethod<EntryOf<typeof id>>; // the part that all lists share
      return readEntries((page) => read({ ...input, ...page }, given), input);
    },
    followChanges: (given = {}) => followChanges(methods.getChanges, settings, given),
    waitForRefresh: (run, given = {}) =>
      waitForRefresh((id, own) => methods.getRefreshRun({ run: id }, own), settings, run, given),
  };
}

type PagedMethod<Entry> = (input: Input, options: CallOptions) => Promise<Answer<Entry[]>>;
