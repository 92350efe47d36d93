import { json, type Reply } from '../http/call.ts';
import { hash } from '../world/random.ts';

export interface GraphErrorInit {
  status?: number;
  code: number;
  subcode?: number;
  message: string;
  /** Most errors of the platform are of this type, throttles and passing ones too: only the codes tell. */
  type?: 'OAuthException' | 'GraphMethodException';
  transient?: boolean;
  headers?: Record<string, string>;
}

/** An error in the platform's shape. */
export class GraphError extends Error {
  readonly init: GraphErrorInit;

  constructor(init: GraphErrorInit) {
    super(init.message);
    this.init = init;
  }
}

/** `(#100) …`: a parameter that the platform does not take. */
export function badParameter(text: string): GraphError {
  return new GraphError({ code: 100, message: `(#100) ${text}` });
}

/** What the platform says of ids that do not exist and of those that the token must not see. */
export function unknownObject(method: string, id: string): GraphError {
  return new GraphError({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  });
}

export function tokenError(subcode: number | undefined, message: string): GraphError {
  return new GraphError({
    code: 190,
    ...(subcode === undefined ? {} : { subcode }),
    message,
    headers: { 'www-authenticate': `OAuth "Facebook Platform" "invalid_token" "${message}"` },
  });
}

export function errorReply(init: GraphErrorInit, trace: string): Reply {
  const { status = 400, code, subcode, message, type = 'OAuthException', transient } = init;
  const error = {
    message,
    type,
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(transient === undefined ? {} : { is_transient: transient }),
    fbtrace_id: `A${Buffer.from(String(hash(trace))).toString('base64url')}`,
  };
  return json(status, { error }, init.headers);
}
