import type { Route } from '../http/define-route.ts';
import { Reply } from '../http/reply.ts';
import { createDocument } from './document.ts';
import { createPage, PAGE_POLICY } from './page.ts';

/** The contract as it is served: for machines and for people. */
export function createPages(routes: readonly Route[], basePath: string): Record<string, Reply> {
  const document = createDocument(routes, basePath);
  return {
    '/openapi.json': pageOf('application/json', JSON.stringify(document)),
    '/docs': pageOf('text/html; charset=utf-8', createPage(document), {
      'Content-Security-Policy': PAGE_POLICY,
    }),
  };
}

function pageOf(type: string, text: string, headers: Record<string, string> = {}): Reply {
  const body = Buffer.from(text);
  return new Reply({ headers, bytes: { type, length: body.length, chunks: [body] } });
}
