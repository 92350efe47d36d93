const STATES = ['missing', 'partial', 'provisional', 'final'] as const;

/** `missing`: no day collected; `partial`: days or lists lack; `provisional`: complete, may still change; `final`: will not. */
export type DataState = (typeof STATES)[number];

/** Days that lack as a whole (`days`), or a list of theirs. Both days are included. */
export interface MissingSpan {
  what: string;
  from: string;
  to: string;
}

/** How good the figures of an answer are, from its headers. */
export interface Completeness {
  /** undefined where the header is absent or a word that this version does not know: then nothing is promised. */
  state: DataState | undefined;
  /** No figure is older than this; ISO 8601 UTC. */
  asOf: string | undefined;
  /** The API names ten spans at most; `count` counts all days that lack, those of each list by themselves. */
  missing: { spans: MissingSpan[]; count: number };
}

/** Reads `Data-State`, `Data-As-Of` and `Data-Missing`. */
export function readCompleteness(headers: Headers): Completeness {
  const state = headers.get('data-state');
  return {
    state: STATES.find((one) => one === state),
    asOf: headers.get('data-as-of') ?? undefined,
    missing: readMissing(headers.get('data-missing') ?? ''),
  };
}

function readMissing(header: string): Completeness['missing'] {
  const [items = '', ...parameters] = header.split(';').map((one) => one.trim());
  const spans = items.split(',').flatMap((item) => {
    const [, what, from, to = from] =
      /^\s*(\w+)=(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?\s*$/.exec(item) ?? [];
    return what !== undefined && from !== undefined && to !== undefined ? [{ what, from, to }] : [];
  });
  const count = parameters.find((one) => /^count=\d+$/.test(one))?.slice('count='.length);
  return { spans, count: Number(count ?? spans.length) };
}
