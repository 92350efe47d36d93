import { z } from 'zod';
import { type Call, json, type Reply } from '../http/call.ts';
import { badParameter } from './graph-error.ts';
import { jsonParam, type Params } from './params.ts';

const PartsSchema = z.array(
  z.object({
    method: z.string().default('GET'),
    relative_url: z.string(),
    body: z.string().optional(),
  }),
);
const PARTS_MAX = 50;

/** `POST /` with `batch`: each part is a call of its own; the answers hold their bodies as text. */
export function answerBatch(call: Call, params: Params, answer: (part: Call) => Reply): Reply {
  const parts = PartsSchema.safeParse(jsonParam(params, 'batch'));
  if (!parts.success) throw badParameter('param batch must be an array of {method, relative_url}');
  if (parts.data.length > PARTS_MAX)
    throw badParameter(`Too many requests in batch message. Maximum batch size is ${PARTS_MAX}`);
  const token = params.get('access_token');
  const proof = params.get('appsecret_proof');
  const replies = parts.data.map((part) => {
    const url = new URL(part.relative_url.replace(/^\/*/, '/'), 'http://batch');
    if (token !== undefined && !url.searchParams.has('access_token'))
      url.searchParams.set('access_token', token);
    if (proof !== undefined && !url.searchParams.has('appsecret_proof'))
      url.searchParams.set('appsecret_proof', proof);
    const headers = { ...call.headers, 'content-type': 'application/x-www-form-urlencoded' };
    return answer({
      ...call,
      method: part.method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      body: part.body ?? '',
    });
  });
  const broken = replies.find((reply) => reply.transport !== undefined);
  const body = replies.map((reply) => ({
    code: reply.status,
    ...(params.get('include_headers') === 'false' ? {} : { headers: headerList(reply) }),
    body: reply.body,
  }));
  const whole = json(200, body);
  return broken?.transport === undefined ? whole : { ...whole, transport: broken.transport };
}

function headerList(reply: Reply): { name: string; value: string }[] {
  const headers = { ...reply.headers, 'content-type': 'text/javascript; charset=UTF-8' };
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
