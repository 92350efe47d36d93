import { json, type Reply } from '../http/call.ts';

/** What the platform refuses with, thrown by whatever finds the reason. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('The platform refuses the call');
    this.reply = reply;
  }
}

/** The gateway before the API speaks for itself: tokens and speed. */
export function gatewayRefusal(status: number, errorCode: string, errorMessage: string): Refusal {
  return new Refusal(json(status, { errorMessage, errorCode }));
}

export function tokenRefused(): Refusal {
  const text = 'result is false : Authentication failed. (Failed to authenticate the request.)';
  return gatewayRefusal(401, '024', text);
}

interface ApiError {
  code: string;
  detailCode?: string;
  message: string;
  description?: string;
}

export function apiRefusal(status: number, error: ApiError): Refusal {
  return new Refusal(json(status, { error }));
}

/** A field that the API reads and does not accept. */
export function badRequest(description: string): Refusal {
  return apiRefusal(400, { code: 'BAD_REQUEST', message: 'Bad Request', description });
}

/** A refusal of the statistics with its own word for the reason. */
export function statsRefusal(detailCode: string, message: string): Refusal {
  return apiRefusal(422, {
    code: 'INVALID_PARAMETER',
    detailCode: `STATS__${detailCode}`,
    message,
  });
}

export function unknownError(): Refusal {
  return apiRefusal(500, { code: 'UNKNOWN_ERROR', message: 'Unknown Error' });
}
