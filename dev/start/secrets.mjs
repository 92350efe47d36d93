// @ts-check
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../services/process-identity.mjs';

/** @typedef {{ CREDENTIALS_KEYS: string }} Secrets */

/**
 * The secrets of this data folder, made at the first start. Without them the stored credentials can't be read again, so a file that
 * is there but damaged is an error and never replaced.
 * @param {string} file
 * @returns {Promise<Secrets>}
 */
export async function readSecrets(file) {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return createSecrets(file);
  const { CREDENTIALS_KEYS } = parse(file, text);
  if (typeof CREDENTIALS_KEYS !== 'string') {
    throw new Error(`${file} lacks CREDENTIALS_KEYS; \`npm start -- --fresh\` begins anew`);
  }
  return { CREDENTIALS_KEYS };
}

/**
 * @param {string} file
 * @param {string} text
 */
function parse(file, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is no JSON; \`npm start -- --fresh\` begins anew`, { cause: error });
  }
}

/** @param {string} file */
async function createSecrets(file) {
  const secrets = { CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}` };
  // Complete or not there at all, whenever the process is killed.
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await link(draft, file);
  await rm(draft);
  return secrets;
}
