import type { Call } from '../http/call.ts';
import { badParameter } from './graph-error.ts';

/** Parameters of a call from query and body; JSON texts inside stay text until they are asked for. */
export type Params = Map<string, string>;

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function multipart(body: string, boundary: string): [string, string][] {
  return body.split(`--${boundary}`).flatMap((part): [string, string][] => {
    const name = /name="([^"]*)"/.exec(part)?.[1];
    const start = part.indexOf('\r\n\r\n');
    return name === undefined || start < 0 ? [] : [[name, part.slice(start + 4, -2)]];
  });
}

function bodyFields(call: Call): [string, string][] {
  if (call.body === '') return [];
  const type = call.headers['content-type'] ?? '';
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (boundary !== undefined) return multipart(call.body, boundary);
  const parsed = /json/.test(type) || call.body.startsWith('{') ? parseJson(call.body) : undefined;
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
    return Object.entries(parsed).map(([name, value]) => [name, asText(value)]);
  }
  if (/json/.test(type)) throw badParameter('The request body is not a JSON object');
  return [...new URLSearchParams(call.body)];
}

/** Reads a form, a JSON object whose values may be nested, or multipart fields; the body wins over the query. */
export function readParams(call: Call): Params {
  return new Map([...call.query, ...bodyFields(call)]);
}

/** A parameter that is a JSON document; undefined when it is absent or empty. */
export function jsonParam(params: Params, name: string): unknown {
  const text = params.get(name);
  if (text === undefined || text === '') return undefined;
  const value = parseJson(text);
  if (value === undefined) throw badParameter(`param ${name} must be valid JSON, got '${text}'`);
  return value;
}

/** A list given as JSON array or separated by commas. Commas inside braces belong to a name's own fields. */
export function listParam(params: Params, name: string): string[] {
  const text = (params.get(name) ?? '').trim();
  if (text === '') return [];
  if (text.startsWith('[')) {
    const list = jsonParam(params, name);
    if (!Array.isArray(list)) throw badParameter(`param ${name} must be an array`);
    return list.map(asText);
  }
  return [...text.matchAll(/[^,{}\s]+(\{[^}]*\})?/g)].map(([word]) => word.replace(/\{.*/, ''));
}

/** A whole number of at least 1; `fallback` when it is absent. */
export function countParam(params: Params, name: string, fallback: number): number {
  const text = params.get(name);
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) {
    throw badParameter(`param ${name} must be a positive whole number, got '${text}'`);
  }
  return Number(text);
}
