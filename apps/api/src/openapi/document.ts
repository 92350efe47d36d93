import { ProblemSchema } from '@tributary/shared';
import type { CsvForm, Route } from '../http/define-route.ts';
import { takesIfMatch } from '../http/if-match.ts';
import { IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY } from '../http/once.ts';
import { csvExamples } from './csv-examples.ts';
import { AD_EXAMPLES, BLOG_EXAMPLES, linkExamples, statisticsExamples } from './examples.ts';
import { HEADER_COMPONENTS, withCommonHeaders } from './headers.ts';
import { type Components, createComponents } from './json-schema.ts';
import { parametersOf } from './parameters.ts';
import { problemResponses } from './problems.ts';

export const API_VERSION = '1.0.0';

const INTRODUCTION = `Statistics of six advertising channels and one blog channel, collected ahead and served from store.
Operations marked as extension (\`x-extension: true\`) go beyond the interface specification of version 1.

Within version 1 changes are additive. Every error is \`application/problem+json\` with a stable \`code\`.`;

const TAGS: Readonly<Record<string, string>> = {
  data: 'Statistics',
  comment: 'Notes filed under a tag key',
  link: 'Linked data records',
  refresh: 'Reading days again',
  changes: 'What moved since',
};

const IDEMPOTENCY_PARAMETER = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'With one, the request is carried out once: within 24 hours a repetition gets the same answer, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: IDEMPOTENCY_KEY },
};

const IF_MATCH_PARAMETER = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Versions that may be changed: the `ETag` of an earlier answer',
  schema: { type: 'string' },
};

const UPLOAD_SCHEMA = {
  description:
    'Rows of the channel feed, version 1: as JSON an array, or `rows` or `days` of an object; as CSV with a header line.',
};

/** Headers that say how good an answer of /data is. */
const DATA_HEADERS = {
  'Data-State': {
    description: '`missing`, `partial`, `provisional` (complete, may still be restated) or `final`',
    schema: { type: 'string', enum: ['missing', 'partial', 'provisional', 'final'] },
  },
  'Data-As-Of': {
    description: 'The oldest reading that the answer rests on',
    schema: { type: 'string', format: 'date-time' },
  },
  'Data-Missing': {
    description:
      'Days that are lacking, or were read last before they were over, and lists that are lacking: `days=2026-11-03..2026-11-05, age=2026-11-07; count=4`',
    schema: { type: 'string' },
  },
  ETag: { description: 'Weak; for `If-None-Match`', schema: { type: 'string' } },
};

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the routes, from the same schemas that check requests. */
export function createDocument(routes: readonly Route[], basePath: string): Json {
  const components = createComponents();
  components.schemaOf(ProblemSchema, 'output');
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operation = { [route.method.toLowerCase()]: operationOf(components, route) };
    paths[route.path] = { ...paths[route.path], ...operation };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tributary',
      version: API_VERSION,
      summary: 'Advertising and content statistics',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths,
    components: {
      schemas: components.schemas(),
      headers: HEADER_COMPONENTS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function tagOf({ path }: Route): string {
  return path.split('/')[1] ?? '';
}

/** `GET /link/coverage` is `getLinkCoverage`. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.match(/\w+/g) ?? [];
  return (
    method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  );
}

function operationOf(components: Components, route: Route): Json {
  const { query, params, body, upload, summary, description, extension, scope } = route;
  const parameters = [
    ...(params ? parametersOf(components, params, 'path') : []),
    ...parametersOf(components, query, 'query'),
    ...(route.idempotent ? [IDEMPOTENCY_PARAMETER] : []),
    ...(takesIfMatch(route) ? [IF_MATCH_PARAMETER] : []),
  ];
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary,
    description: [description, `Scope: \`${scope}\`.`].filter(Boolean).join('\n\n'),
    ...(extension && { 'x-extension': true }),
    ...(parameters.length > 0 && { parameters }),
    ...(upload && {
      requestBody: {
        required: true,
        content: Object.fromEntries(upload.map((type) => [type, { schema: UPLOAD_SCHEMA }])),
      },
    }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: components.schemaOf(body, 'input'),
            ...(route.path === '/link' && { examples: linkExamples() }),
          },
        },
      },
    }),
    responses: withCommonHeaders(
      { ...successOf(components, route), ...problemResponses(route) },
      route,
    ),
  };
}

function successOf(components: Components, route: Route): Json {
  const { response, csv, status } = route;
  if (!response) return { 204: { description: 'Done' } };
  const isData = route.path.startsWith('/data/');
  const examples = examplesOf(route);
  return {
    [status ?? 200]: {
      description: SUCCESS[status ?? 200],
      ...(isData && { headers: DATA_HEADERS }),
      content: {
        'application/json': {
          schema: components.schemaOf(response, 'output'),
          ...(examples && { examples }),
        },
        ...(csv && { 'text/csv': csvMedia(csv, route.path) }),
      },
    },
    ...(isData && {
      304: { description: 'Unchanged since the answer that `If-None-Match` names' },
    }),
  };
}

function csvMedia({ columns, description }: CsvForm, path: string): Json {
  return {
    schema: { type: 'string', description, pattern: `^${columns.join(',')}\\r\\n` },
    examples: csvExamples(path),
  };
}

const SUCCESS: Readonly<Record<number, string>> = {
  200: 'The answer',
  201: 'Created',
  202: 'Accepted; `Location` tells where its progress is',
};

function examplesOf({ path }: Route) {
  if (path === '/data/ads') return AD_EXAMPLES;
  if (path === '/data/blog-portal1') return BLOG_EXAMPLES;
  return /^\/data\/(adAccount|campaign|adGroup)$/.test(path) ? statisticsExamples() : undefined;
}
