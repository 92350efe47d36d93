import { json, type Reply } from '../http/call.ts';

/** A refusal in the platform's words. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }

  reply(): Reply {
    return json(this.status, this.body);
  }
}

/** The form of the reports and of what stands before them. */
export function coded(status: number, code: number, message: string): ApiError {
  return new ApiError(status, { code, message });
}

/** The form of the lists. */
export function titled(status: number, code: number, title: string): ApiError {
  return new ApiError(status, { code, status, title, detail: '' });
}

/** The form of everything around the signature; it repeats what was sent. */
export function problem(word: string, title: string, more: Record<string, unknown>): ApiError {
  const type = `urn:naver:api:problem:${word}`;
  return new ApiError(403, { ...more, status: 403, type, title });
}

export const tooManyRequests = (): ApiError => coded(429, 429, 'Too Many Requests');
export const outOfPeriod = (): ApiError =>
  coded(400, 10004, '선택하신 조건에 지표가 확인되지 않습니다. 보고서 항목이나 기간을 조정하세요.');
export const notReady = (): ApiError => coded(400, 20007, '해당 일자 지표 준비중입니다.');
export const badParameter = (what: string): ApiError =>
  coded(400, 11001, `잘못된 파라미터 형식입니다. (${what})`);
export const notFound = (): ApiError => titled(404, 1001, 'Cannot find the requested resource.');
export const noPermission = (): ApiError =>
  titled(403, 1018, 'No permission to access the resource.');
