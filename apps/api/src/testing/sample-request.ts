import type { z } from 'zod';
import type { Route } from '../http/define-route.ts';
import type { AskOptions } from './open-test-api.ts';

const VALUES: Readonly<Record<string, string>> = {
  id: 'x',
  value: '1',
  start: '2026-11-01',
  end: '2026-11-01',
  key: 'k',
  idx: '1',
  title: 'title',
  level: 'campaign',
};

const BODIES = [
  { key: 'k', title: 't', contents: 'c' },
  { key: 'k', idx: '1', title: 't', contents: 'c' },
  { type: 'SOCIAL_ADS', title: 't', credentials: { accessToken: 'x' } },
  { credentials: { accessToken: 'x' } },
  { historyDays: 30 },
];

/**
 * A request of any route that is good as far as can be told without the database.
 *
 * @throws Error for a body that no sample fits: a new one is added above
 */
export function sampleRequest(
  { method, path, query, body, upload }: Route,
  values: Readonly<Record<string, string>> = {},
): [path: string, options: AskOptions] {
  const known = { ...VALUES, ...values };
  const parameters = Object.keys((query as z.ZodObject).shape) // queries are objects
    .flatMap((name) => (known[name] === undefined ? [] : `${name}=${known[name]}`));
  const samples = [...BODIES, { id: known.id }];
  const sample = upload ? [] : body && samples.find((one) => body.safeParse(one).success);
  if (body && !sample) throw new Error(`No sample body for ${method} ${path}`);
  return [
    `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'x')}?${parameters.join('&')}`,
    {
      method,
      ...(sample && {
        body: JSON.stringify(sample),
        headers: { 'Content-Type': 'application/json' },
      }),
    },
  ];
}
