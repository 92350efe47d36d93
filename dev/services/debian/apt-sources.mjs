// @ts-check
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One archive of an apt sources file.
 * @typedef {{ uri: string, suites: string[], components: string[], signedBy: string | undefined, trusted: boolean }} AptSource
 */

/**
 * Reads a deb822 file (`*.sources`). Stanzas that are disabled or hold no binary packages are left out.
 * @param {string} text
 * @returns {AptSource[]}
 */
export function parseDeb822(text) {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n[ \t]*\n/)
    .flatMap(parseStanza);
}

/**
 * Reads a one-line file (`*.list`): `deb [option=value] uri suite component...`.
 * @param {string} text
 * @returns {AptSource[]}
 */
export function parseList(text) {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)([^#]*)/.exec(line);
    if (!match) return [];
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const option = (/** @type {string} */ name) =>
      new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(options)?.[1];
    return [
      {
        uri,
        suites: [suite],
        components: words(components),
        signedBy: option('signed-by'),
        trusted: option('trusted') === 'yes',
      },
    ];
  });
}

/**
 * The machine's mirror of its own distribution: the archive that holds the release itself, not the one with its security updates
 * nor another vendor's.
 * @param {readonly AptSource[]} sources
 * @param {string | undefined} codename VERSION_CODENAME of /etc/os-release
 * @returns {AptSource | undefined}
 */
export function findMirror(sources, codename) {
  const releases = ['stable', 'oldstable', 'testing', 'unstable', 'sid', codename];
  return sources.find(
    ({ suites, components }) =>
      components.includes('main') && suites.some((suite) => releases.includes(suite)),
  );
}

/**
 * @param {string} [folder]
 * @returns {Promise<AptSource[]>} of all files that apt itself would read
 */
export async function readAptSources(folder = '/etc/apt') {
  const parts = await readdir(join(folder, 'sources.list.d')).catch(() => []);
  const files = [
    'sources.list',
    ...parts.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => join('sources.list.d', name)),
  ];
  const sources = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    if (file.endsWith('.list')) sources.push(...parseList(text));
    if (file.endsWith('.sources')) sources.push(...parseDeb822(text));
  }
  return sources;
}

/**
 * @param {string} stanza
 * @returns {AptSource[]}
 */
function parseStanza(stanza) {
  /** @type {Map<string, string>} */
  const fields = new Map();
  // A line that begins with a blank continues the field before it.
  for (const match of stanza.matchAll(/^([A-Za-z-]+):(.*(?:\n[ \t].*)*)/gm)) {
    fields.set(String(match[1]).toLowerCase(), String(match[2]).trim());
  }
  const list = (/** @type {string} */ name) => words(fields.get(name) ?? '');
  if (/^(no|false|0)$/i.test(fields.get('enabled') ?? '') || !list('types').includes('deb'))
    return [];
  const signedBy = fields.get('signed-by');
  return list('uris').map((uri) => ({
    uri,
    suites: list('suites'),
    components: list('components'),
    // A key may also be written into the file itself; only a path can be handed on in one word.
    signedBy: signedBy?.startsWith('/') ? signedBy : undefined,
    trusted: fields.get('trusted') === 'yes',
  }));
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter(Boolean);
}
