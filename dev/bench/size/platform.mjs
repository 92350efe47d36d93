// @ts-check
/**
 * A platform of one large account, in pages of the shape that the search ads platform sends. Started with the account's
 * size as JSON; knows `/tree?level&page` and `/rows?source&day&page`.
 */
import { createServer } from 'node:http';
import { tellPort } from '../servers/tell-port.mjs';
import { entitiesAt, entityAt, pageRows, rowAt, rowsOfDay } from './account.mjs';

/** @type {import('./account.mjs').Size} */
const size = JSON.parse(process.argv[2] ?? '');

const server = createServer((req, res) => {
  const { pathname, searchParams: query } = new URL(req.url ?? '', 'http://platform');
  const page = Number(query.get('page') ?? 0);
  const body = pathname === '/tree' ? treePage(query, page) : rowsPage(query, page);
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
});
server.listen(0, '127.0.0.1', () => tellPort(server));

/**
 * @param {URLSearchParams} query
 * @param {number} page
 */
function treePage(query, page) {
  const level = /** @type {'c' | 'g' | 'd'} */ (query.get('level'));
  return pageText(page, entitiesAt(level, size), (index) => {
    const { id, parent, name } = entityAt(level, index, size);
    return `{"id":"${id}","parent":"${parent}","name":"${name}","status":"ENABLED"}`;
  });
}

/**
 * @param {URLSearchParams} query
 * @param {number} page
 */
function rowsPage(query, page) {
  const source = query.get('source') ?? '';
  const day = query.get('day') ?? '';
  return pageText(page, rowsOfDay(source, size), (index) => {
    const { ids, value, impressions, clicks, costMicros, conversions, conversionsValue } = rowAt(
      source,
      index,
      day,
      size,
    );
    return (
      `{"campaign":{"id":"${ids.campaign}"},"adGroup":{"id":"${ids.adGroup}"},"ad":{"id":"${ids.ad}"},` +
      `"segments":{"date":"${day}","value":"${value}"},` +
      `"metrics":{"impressions":"${impressions}","clicks":"${clicks}","costMicros":"${costMicros}",` +
      `"conversions":${conversions},"conversionsValue":${conversionsValue}}}`
    );
  });
}

/**
 * @param {number} page
 * @param {number} count
 * @param {(index: number) => string} textAt
 */
function pageText(page, count, textAt) {
  const from = page * pageRows;
  const to = Math.min(count, from + pageRows);
  const texts = [];
  for (let index = from; index < to; index += 1) texts.push(textAt(index));
  return `{"results":[${texts.join(',')}],"nextPage":${to < count ? page + 1 : null}}`;
}
