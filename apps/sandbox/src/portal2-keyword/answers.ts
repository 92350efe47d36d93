import { json, type Reply } from '../http/call.ts';

/** A refusal in the platform's shape. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(status: number, code: number, msg: string, more: object = {}) {
    super(msg);
    this.reply = json(status, { code, msg, ...more });
  }
}

/** A parameter that is missing or wrong. */
export function badParameter(msg: string): Refusal {
  return new Refusal(400, -2, msg);
}

/** What the advertising platform itself refuses, with its own code inside. */
export function refusedByPlatform(detailCode: number, detailMsg: string): Refusal {
  return new Refusal(400, -820, 'KakaoKeywordAdException', { extras: { detailCode, detailMsg } });
}

export function tooManyCalls(): Refusal {
  return new Refusal(429, -813, '허용된 API 요청을 초과하였습니다.');
}

export function noSuchToken(): Refusal {
  return new Refusal(401, -401, 'this access token does not exist');
}
