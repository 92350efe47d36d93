/** A body that is ready to be sent. */
export interface Bytes {
  type: string;
  /** Absent while nobody knows it: such a body is only whole when the connection says so. */
  length?: number;
  chunks: readonly Uint8Array[] | AsyncIterable<Uint8Array>;
}

interface ReplyOptions {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  data?: unknown;
  /** Sent as it is, in place of `data`. */
  bytes?: Bytes;
}

/** An answer that is more than data with status 200. */
export class Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
  readonly bytes: Bytes | undefined;

  constructor({ status = 200, headers = {}, data, bytes }: ReplyOptions) {
    this.status = status;
    this.headers = headers;
    this.data = data;
    this.bytes = bytes;
  }
}

export const noContent = new Reply({ status: 204 });
