// @ts-check

/** @typedef {import('./apps.mjs').App} App */
/** @typedef {import('./read-schema.mjs').Variable} Variable */

const INTRODUCTION = `<!-- Made from the apps' env.ts by \`npm run configuration\`. -->

# Configuration

Each app reads environment variables and nothing else. They are checked at the start: an app that cannot use some of
them names those and ends with status 1. A blank variable counts as not set.

\`npm start\` sets everything that is needed by itself. It reads \`MONGODB_URI\` and \`REDIS_URL\` (servers of your own), the
four ports (\`API_PORT\`, \`API_ADMIN_PORT\`, \`WORKER_ADMIN_PORT\`, \`SANDBOX_PORT\`) and \`LOG_LEVEL\`. \`npm test\` reads
\`MONGODB_URI\` and \`REDIS_URL\`. \`docker-compose.yml\` reads \`CREDENTIALS_KEYS\`, \`LOG_LEVEL\`, and \`API_PORT\`,
\`MONGO_PORT\`, \`REDIS_PORT\` for the ports on the host.

For everything else: copy [.env.example](../.env.example) to \`.env\`, fill it in and start an app with
\`node --env-file=.env apps/api/dist/main.js\`. A key for \`CREDENTIALS_KEYS\`:

\`\`\`
node -p "'k1:' + require('crypto').randomBytes(32).toString('base64')"
\`\`\`

Whoever loses \`CREDENTIALS_KEYS\` loses the stored credentials: every link has to be connected again. To change the key,
put the new one first and keep the old one behind it (\`k2:…,k1:…\`): the first one seals, all of them open.

## Memory of the worker

The worker is started as \`node --max-old-space-size=256 --env-file=.env apps/worker/dist/main.js\`. \`npm start\`, the start script of its
package and its image set that bound, an image by \`NODE_OPTIONS\`; what stands on a command line wins over \`NODE_OPTIONS\`. It
is chosen for the defaults of \`ROWS_IN_MEMORY\`, \`FRESH_CONCURRENCY\` and \`BULK_CONCURRENCY\`, under which every measured worker kept within 512 MB.

With 8 accounts of 1,500 ad groups and 15,000 keywords at once, 144 to 170 MiB of it were in use; 36 MiB are without any work. A bound that is too small ends the process, so
let it grow with what you raise:

- 60 MiB for every 100,000 of \`ROWS_IN_MEMORY\` above 400,000: a row takes about 150 bytes as text and 230 once parsed, and half as
  much again is left for garbage.
- 5 MiB for every turn of \`FRESH_CONCURRENCY\` above 16, per channel that has such accounts: a turn that reads a tree of 25,000
  entities holds their keys, and those are not counted as rows.

Resident memory was up to 130 MiB above the bound. [Performance](performance.md#one-large-account) has the measurements.
`;

/**
 * The page docs/configuration.md.
 * @param {readonly App[]} apps
 */
export function writePage(apps) {
  return [INTRODUCTION, ...apps.map(section)].join('\n');
}

/** @param {App} app */
function section({ name, variables }) {
  return [
    `## ${name}`,
    '',
    '| variable | without it | meaning |',
    '|---|---|---|',
    ...variables.map((one) => `| \`${one.name}\` | ${withoutIt(one)} | ${cell(meaningOf(one))} |`),
    '',
  ].join('\n');
}

/** @param {Variable} variable */
function withoutIt({ required, fallback }) {
  if (required) return '**required**';
  return fallback === '' ? '–' : `\`${cell(fallback)}\``;
}

/** @param {Variable} variable */
function meaningOf({ meaning, values }) {
  return values.length === 0 ? meaning : `${meaning} (${values.join(', ')})`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

/**
 * The file .env.example: each variable once, with what it means to each app. What has a default is commented out.
 * @param {readonly App[]} apps
 */
export function writeExample(apps) {
  const names = [...new Set(apps.flatMap(({ variables }) => variables.map(({ name }) => name)))];
  const entries = names.map((name) => {
    const readers = apps.flatMap((app) => {
      const variable = app.variables.find((one) => one.name === name);
      return variable ? [{ app: app.name, variable }] : [];
    });
    const fallbacks = [...new Set(readers.map(({ variable }) => variable.fallback))];
    const required = readers.some(({ variable }) => variable.required);
    return [
      ...readers.map(({ app, variable }) => `# ${app}: ${meaningOf(variable)}`),
      ...(fallbacks.length > 1 ? ['# The default differs: see docs/configuration.md.'] : []),
      required ? `${name}=` : `# ${name}=${fallbacks.length > 1 ? '' : fallbacks[0]}`,
    ].join('\n');
  });
  const head = `# Made from the apps' env.ts by \`npm run configuration\`. What is not commented out is required.`;
  return `${[head, ...entries].join('\n\n')}\n`;
}
