import { createHash } from 'node:crypto';

/** What the page reads of a document. */
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  'x-extension'?: true;
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    description: string;
    schema: object;
  }[];
  requestBody?: Content;
  responses: Record<string, Content & { description: string }>;
}
interface Content {
  content?: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
}
interface PageDocument {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
nav a { display: inline-block; margin-right: 1rem; }
section { border-top: 1px solid #8884; padding-top: .5rem; margin-top: 1.5rem; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow: auto; background: #8881; padding: .75rem; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8883; }
.method { font-weight: 700; }
.extension { font-size: 13px; border: 1px solid #8886; border-radius: 4px; padding: 0 .35rem; }
`;

/** The one source of the page's look: allowed by its hash, so that the page may load nothing. */
export const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The document as one HTML page without scripts and without anything from elsewhere. */
export function createPage(document: object): string {
  const { info, paths, components } = document as PageDocument; // made by createDocument
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const links = operations.map(
    ({ path, method, operation }) =>
      `<a href="#${operation.operationId}">${method.toUpperCase()} ${html(path)}</a>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<section id="${html(name)}"><h3>${html(name)}</h3>${json(schema)}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(info.title)} API ${html(info.version)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${html(info.title)} API ${html(info.version)}</h1>
${prose(info.description)}
<p>Machine-readable: <a href="openapi.json">openapi.json</a></p>
<nav>${links.join('\n')}</nav>
${operations.map(operationHtml).join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}
</body>
</html>
`;
}

function operationHtml(one: { path: string; method: string; operation: Operation }): string {
  const { path, method, operation } = one;
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const mark = operation['x-extension'] ? ' <span class="extension">extension</span>' : '';
  const rows = parameters.map(
    ({ name, in: place, required, description: words }) =>
      `<tr><td><code>${html(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${inline(words)}</td></tr>`,
  );
  const answers = Object.entries(responses).map(
    ([status, response]) =>
      `<tr><td>${status}</td><td>${inline(response.description)}${status.startsWith('2') ? contentHtml(response) : ''}</td></tr>`,
  );
  return `<section id="${operationId}">
<h2><span class="method">${method.toUpperCase()}</span> <code>${html(path)}</code>${mark}</h2>
<p>${inline(summary)}</p>
${prose(description)}
${rows.length > 0 ? `<table><tr><th>Parameter</th><th>In</th><th></th></tr>${rows.join('')}</table>` : ''}
${requestBody ? `<h3>Body</h3>${contentHtml(requestBody)}` : ''}
<h3>Answers</h3>
<table>${answers.join('')}</table>
</section>`;
}

function contentHtml({ content = {} }: Content): string {
  return Object.entries(content)
    .map(([type, { schema, examples = {} }]) => {
      const shown = Object.entries(examples).map(([name, { value }]) =>
        details(`Example: ${name}`, value),
      );
      return `<p><code>${html(type)}</code></p>${details('Schema', schema)}${shown.join('')}`;
    })
    .join('');
}

function details(title: string, value: unknown): string {
  const shown = typeof value === 'string' ? `<pre>${html(value)}</pre>` : json(value);
  return `<details><summary>${html(title)}</summary>${shown}</details>`;
}

/** JSON with its references to schemas as links. */
function json(value: unknown): string {
  const text = html(JSON.stringify(value, null, 2));
  const linked = text.replace(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    '<a href="#$1">&quot;$1&quot;</a>',
  );
  return `<pre>${linked}</pre>`;
}

function prose(markdown: string): string {
  return markdown
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');
}

function inline(markdown: string): string {
  return html(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
