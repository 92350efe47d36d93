import type { Route } from '../http/define-route.ts';
import { inputsOf } from './route-inputs.ts';
import type { Kind } from './seed-tenant.ts';

/** What one parameter or field of a route is to the isolation of tenants. */
export type Input =
  /** Names something that belongs to a tenant; `replaces` what may not be sent beside it. Sent only where it is asked for. */
  | { identifies: Kind; isSent: boolean; replaces: readonly string[] }
  /** Names nothing; what is sent, or undefined. */
  | { plain: unknown };

const names = (identifies: Kind): Input => ({ identifies, isSent: true, replaces: [] });
const mayName = (identifies: Kind, ...replaces: string[]): Input => ({
  identifies,
  isSent: false,
  replaces,
});
const plain = (value?: unknown): Input => ({ plain: value });
const unsent = (...inputs: string[]) => Object.fromEntries(inputs.map((one) => [one, plain()]));

const DAYS = { 'query.start': plain('2026-11-01'), 'query.end': plain('2026-11-09') };
const ETAG = { 'header.If-None-Match': mayName('etag') };
const VERSION = { 'header.If-Match': mayName('etag') };
const ONCE = { 'header.Idempotency-Key': mayName('idempotency key') };
const statisticsOf = (kind: Kind) => ({
  'query.id': names('social link'),
  'query.value': names(kind),
  ...DAYS,
  ...ETAG,
});
const pagesOf = (cursor: Kind) => ({
  'query.limit': plain('1'),
  'query.cursor': mayName(cursor),
});
const TEXTS = { 'body.title': plain('Title'), 'body.contents': plain('Contents') };

/**
 * Every route with everything that its requests may hold. Whatever is new is declared here: either as something that
 * names what belongs to a tenant, and is tried with everything of somebody else, or as a plain value.
 */
export const ROUTE_TABLE: Readonly<Record<string, Readonly<Record<string, Input>>>> = {
  'GET /data/adAccount': statisticsOf('ad account'),
  'GET /data/campaign': statisticsOf('campaign'),
  'GET /data/adGroup': statisticsOf('ad group'),
  'GET /data/ads': statisticsOf('ad'),
  'GET /data/blog-portal1': { 'query.id': names('blog link'), ...DAYS, ...ETAG },
  'GET /comment': { 'query.key': names('comment key'), ...pagesOf('comments cursor') },
  'POST /comment': { 'body.key': names('comment key'), ...TEXTS, ...ONCE },
  'PUT /comment': {
    'body.key': names('comment key'),
    'body.idx': names('comment number'),
    ...TEXTS,
    ...VERSION,
  },
  'DELETE /comment': {
    'query.key': names('comment key'),
    'query.idx': names('comment number'),
    ...VERSION,
  },
  'GET /link': { 'query.tag': names('tag'), ...pagesOf('links cursor') },
  'POST /link': {
    'body.type': plain('SOCIAL_ADS'),
    'body.title': plain('Title'),
    'body.tag': names('tag'),
    'body.credentials.accessToken': plain('token-of-a-test'),
    'body.settings.historyDays': plain(30),
    'body.settings.accountIds[]': mayName('ad account'),
    ...ONCE,
    // Of other channels, or names at a platform, which several tenants may share.
    ...unsent(
      'body.credentials.appId',
      'body.credentials.appSecret',
      'body.credentials.customerId',
      'body.credentials.apiKey',
      'body.credentials.secretKey',
      'body.credentials.clientId',
      'body.credentials.clientSecret',
      'body.credentials.refreshToken',
      'body.credentials.developerToken',
      'body.credentials.loginCustomerId',
      'body.credentials.businessToken',
      'body.credentials.accessManagerId',
      'body.credentials.feedToken',
      'body.settings.timezone',
      'body.settings.currency',
      'body.settings.conversion',
      'body.settings.conversionKinds[]',
      'body.settings.customerIds[]',
      'body.settings.adAccountIds[]',
      'body.settings.conversionWindowDays',
      'body.settings.dimensions.device',
      'body.settings.dimensions.hour',
      'body.settings.dimensions.placement',
      'body.settings.feedUrl',
    ),
  },
  'PUT /link': {
    'query.id': names('social link'),
    'query.title': plain('Renamed'),
    'query.tag': mayName('tag'),
  },
  'DELETE /link': { 'query.id': names('social link') },
  'PUT /link/credentials': {
    'query.id': names('social link'),
    'body.credentials': plain({ accessToken: 'token-of-a-test' }),
  },
  'GET /link/entities': {
    'query.id': names('social link'),
    'query.level': plain('campaign'),
    'query.parent': mayName('ad account'),
    ...pagesOf('entities cursor'),
  },
  'GET /link/coverage': { 'query.id': names('social link'), ...DAYS },
  'GET /link/schedule': { 'query.id': names('social link') },
  'PUT /link/schedule': {
    'query.id': names('social link'),
    'body.paused': plain(true),
    'body.historyDays': plain(30),
  },
  'GET /link/health': { 'query.id': names('social link') },
  'POST /link/import': {
    'query.id': names('feed link'),
    'upload.date': plain('2026-11-08'),
    'upload.level': plain('campaign'),
    'upload.entityId': names('feed campaign'),
    'upload.dimension': plain('age'),
    'upload.value': plain('25-34'),
    'upload.impressions': plain(10),
    'upload.clicks': plain(1),
    'upload.spend': plain('0.5'),
    'upload.conversions': plain(0),
    'upload.amount': plain(0),
    // Of a blog.
    ...unsent(
      'upload.reach',
      'upload.pageViews',
      'upload.visitors',
      'upload.visits',
      'upload.averageDurationSeconds',
      'upload.referrers',
      'upload.posts',
      'upload.neighbours',
    ),
  },
  'GET /link/revisions': {
    'query.id': names('feed link'),
    'query.start': plain('2026-09-01'),
    'query.end': plain('2026-09-02'),
    'query.level': plain(),
    ...pagesOf('revisions cursor'),
  },
  'POST /refresh': {
    'body.id': names('social link'),
    'body.tag': mayName('tag', 'body.id'),
    'body.type': plain(),
    'body.start': plain('2026-11-08'),
    'body.end': plain('2026-11-09'),
    ...ONCE,
  },
  'GET /refresh/{run}': { 'path.run': names('run') },
  'GET /changes': pagesOf('changes cursor'),
};

export function routeName({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** What a request of the route may hold, by input. */
export const declaredOf = (route: Route) => ROUTE_TABLE[routeName(route)] ?? {};

/** What the table lacks of the routes, and what it names that no route has. */
export function mistakesOf(
  routes: readonly Route[],
  table: Readonly<Record<string, Readonly<Record<string, Input>>>>,
): string[] {
  const mistakes = routes.flatMap((route) => {
    const name = routeName(route);
    const declared = table[name];
    if (!declared) return [`${name} is not declared`];
    const inputs = inputsOf(route);
    return [
      ...inputs.filter((one) => !declared[one]).map((one) => `${name} ${one} is not declared`),
      ...Object.keys(declared)
        .filter((one) => !inputs.includes(one))
        .map((one) => `${name} has no ${one}`),
    ];
  });
  const known = new Set(routes.map(routeName));
  const gone = Object.keys(table).filter((name) => !known.has(name));
  return [...mistakes, ...gone.map((name) => `There is no ${name}`)];
}
