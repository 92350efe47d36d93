// @ts-check

/**
 * The lines below a key, by their indentation. Enough of YAML for a file of our own; a key that is not there is an error.
 * @param {readonly string[]} lines
 * @param {string} key
 * @returns {string[]}
 */
function below(lines, key) {
  const start = lines.findIndex((line) => line.trimStart().startsWith(`${key}:`));
  if (start < 0) throw new Error(`docker-compose.yml has no '${key}:' where it is expected`);
  const depth = indentOf(lines[start] ?? '');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && indentOf(line) <= depth);
  return end < 0 ? rest : rest.slice(0, end);
}

/** @param {string} line */
function indentOf(line) {
  return line.length - line.trimStart().length;
}

/**
 * The names of the variables that docker-compose.yml sets for a service, those of the common part included.
 * @param {string} text
 * @param {string} service
 * @returns {Set<string>}
 */
export function composeVariables(text, service) {
  const lines = text.split('\n');
  const own = below(below(below(lines, 'services'), service), 'environment');
  const common = below(below(lines, 'x-app'), 'environment');
  const merged = own.some((line) => line.trim() === '<<: *env');
  const set = [...own, ...(merged ? common : [])].filter((line) => !/^\s*(#|$|<<:)/.test(line));
  return new Set(set.map((line) => line.trim().split(':', 1)[0] ?? ''));
}
