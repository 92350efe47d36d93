import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { createRoutes } from '../routes.ts';
import { inputsOf } from './route-inputs.ts';
import { requestOf } from './route-request.ts';
import { mistakesOf, ROUTE_TABLE } from './route-table.ts';

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });

const made = (query: z.ZodType, path: `/${string}` = '/made-up') =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Made up',
    query,
    scope: 'read',
    handle: async () => [],
  });

it('every route is declared with everything that its requests may hold', () => {
  expect(mistakesOf(routes, ROUTE_TABLE)).toEqual([]);
});

it('a route that is not declared is named', () => {
  const more = [...routes, made(z.strictObject({ id: z.string() }))];
  expect(mistakesOf(more, ROUTE_TABLE)).toContain('GET /made-up is not declared');
});

it('a new parameter, field or header of a declared route is named, and one that is gone', () => {
  const table = { 'GET /made-up': { 'query.id': { plain: 'x' } } };
  expect(mistakesOf([made(z.strictObject({ id: z.string() }))], table)).toEqual([]);
  const moved = made(z.strictObject({ cursor: z.string().optional() }));
  expect(mistakesOf([moved], table)).toEqual([
    'GET /made-up query.cursor is not declared',
    'GET /made-up has no query.id',
  ]);
  expect(mistakesOf([], table)).toEqual(['There is no GET /made-up']);
});

it('finds fields in unions, lists, nested objects and behind what prepares a body', () => {
  const inner = z.strictObject({ ids: z.array(z.string()), free: z.record(z.string(), z.any()) });
  const body = z.preprocess(
    (value) => value,
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('a'), inner }).check(() => undefined),
      z.strictObject({
        type: z.literal('b'),
        other: z.strictObject({ id: z.string() }).optional(),
      }),
    ]),
  );
  const route = { ...made(z.strictObject({})), body, idempotent: true as const };
  expect(inputsOf(route)).toEqual([
    'body.type',
    'body.inner.ids[]',
    'body.inner.free',
    'body.other.id',
    'header.Idempotency-Key',
  ]);
  expect(
    requestOf(route, { 'body.type': 'a', 'body.inner.ids[]': 'x', 'header.Idempotency-Key': 'k' }),
  ).toEqual({
    method: 'GET',
    path: '/made-up',
    headers: { 'Idempotency-Key': 'k', 'Content-Type': 'application/json' },
    body: '{"type":"a","inner":{"ids":["x"]}}',
  });
});
