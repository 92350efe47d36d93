/** One HTTP request as a channel sees it: no sockets, so that batches can make calls of their own. */
export interface Call {
  method: string;
  /** Path without the channel's prefix, for example "/v26.0/me". */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: string;
  /** Scheme, host and the channel's prefix, as the client wrote them: what ready-made URLs begin with. */
  baseUrl: string;
}

/** What goes wrong on the wire in place of an ordinary answer. */
export type Transport = 'hang' | 'cut' | 'huge';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  transport?: Transport;
}

/** What a call was about, filled in by the channel for the ledger and for choosing faults. */
export interface CallNote {
  kind: string;
  account: string | null;
  level: string | null;
  breakdowns: string[];
  since: string | null;
  until: string | null;
  /** The fields of a form or JSON body, for the ledger. */
  form: Iterable<[string, string]>;
}

export function emptyNote(): CallNote {
  return {
    kind: 'other',
    account: null,
    level: null,
    breakdowns: [],
    since: null,
    until: null,
    form: [],
  };
}

/** A JSON answer. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    body: JSON.stringify(body),
  };
}
