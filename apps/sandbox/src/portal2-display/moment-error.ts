import { json, type Reply } from '../http/call.ts';

/** An error in the platform's shape. */
export class MomentError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: { code: number; msg: string } & Record<string, unknown>) {
    super(body.msg);
    this.status = status;
    this.body = body;
  }
}

/** The platform's own exception: one code for everything, and the reason in a detail code. */
function exception(detailCode: number, detailMsg: string, status = 400): MomentError {
  const extras = { detailCode, detailMsg };
  return new MomentError(status, { msg: 'KakaoMomentException', code: -813, extras });
}

/** A parameter that is missing or not understood. */
export function badParameter(text: string): MomentError {
  return exception(30001, `요청 파라미터가 유효하지 않습니다. ${text}`);
}

/** Today, the future, more than 31 days, too long ago, or no dates at all. */
export function badPeriod(): MomentError {
  return exception(60008, '조회하는 기간의 시작일, 종료일이 유효하지 않습니다.');
}

export function noSuchObject(kind: string, id: string): MomentError {
  return exception(30002, `존재하지 않는 ${kind} 입니다. ${id}`);
}

export function tooManyCalls(): MomentError {
  return exception(90001, '허용된 API 요청을 초과하였습니다.', 429);
}

export function notPermitted(account: string): MomentError {
  return new MomentError(403, { msg: `no authority for ad account ${account}`, code: -5 });
}

export function errorReply({ status, body }: MomentError): Reply {
  return json(status, body);
}
