// @ts-check
import { isPortFree } from '../services/ports.mjs';

/** @typedef {'API_PORT' | 'API_ADMIN_PORT' | 'WORKER_ADMIN_PORT' | 'SANDBOX_PORT'} PortName */
/** @typedef {Record<PortName, number>} Ports */

/** @type {Readonly<Ports>} */
const defaultPorts = {
  API_PORT: 8080,
  API_ADMIN_PORT: 8081,
  WORKER_ADMIN_PORT: 8082,
  SANDBOX_PORT: 8090,
};

/**
 * The ports from our environment. Throws naming every variable that is no port, or that names the same port as another.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Ports}
 */
export function readPorts(env) {
  const ports = { ...defaultPorts };
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<number, string>} */
  const seen = new Map();
  for (const name of portNames()) {
    const text = env[name] || String(defaultPorts[name]);
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    const other = seen.get(port);
    if (port < 1 || port > 65_535)
      problems.push(`${name}: expected a port from 1 to 65535, got '${text}'`);
    else if (other) problems.push(`${name}: port ${port} is already that of ${other}`);
    seen.set(port, name);
    ports[name] = port;
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return ports;
}

/**
 * Throws naming every port on which somebody else listens.
 * @param {Ports} ports
 */
export async function requireFreePorts(ports) {
  const taken = [];
  for (const name of portNames()) {
    if (!(await isPortFree(ports[name]))) {
      taken.push(
        `Port ${ports[name]} is taken by another program. Choose one with ${name}=<port> npm start`,
      );
    }
  }
  if (taken.length > 0) throw new Error(taken.join('\n'));
}

/**
 * Adds the name of a database to a MongoDB URI that has none.
 * @param {string} uri
 * @param {string} name
 * @returns {string}
 */
export function withDatabase(uri, name) {
  // Not by URL: one URI may name several hosts.
  const match = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(\?.*)?$/.exec(uri);
  if (!match)
    throw new Error('The address of MongoDB does not begin with mongodb:// or mongodb+srv://');
  const [, server, database, options = ''] = match;
  return `${server}/${database || name}${options}`;
}

/** @returns {PortName[]} */
function portNames() {
  return ['API_PORT', 'API_ADMIN_PORT', 'WORKER_ADMIN_PORT', 'SANDBOX_PORT'];
}
