import { StringDecoder } from 'node:string_decoder';
import { csvLine, METRIC_COLUMNS, textCell } from './csv-cells.ts';

const NUMBER = '(null|-?\\d+(?:\\.\\d+)?)';
const DATA_OBJECT = `\\{${METRIC_COLUMNS.map((metric) => `"${metric}":${NUMBER}`).join(',')}\\}`;
const TEXT = '("[^"\\\\]*(?:\\\\.[^"\\\\]*)*")';

const HEAD = /\{"date":"[^"]*","data":\{"\w+":\[/y;
const DAY = new RegExp(`,?\\{"date":"(\\d{4}-\\d\\d-\\d\\d)","total":${DATA_OBJECT}`, 'y');
const LIST = /,"(\w+)":\[/y;
const ENTRY = new RegExp(`,?\\{"(\\w+)":${TEXT},"data":${DATA_OBJECT}\\}`, 'y');
const ONE = new RegExp(`${DATA_OBJECT}$`, 'y');

/** No entry is nearly as long: so much text without one is no answer. */
const ENTRY_MAX = 1024 * 1024;

/** Where in an answer the reader stands. */
type Place = 'start' | 'days' | 'lists' | 'entries' | 'end';

/** Turns the JSON of an answer into rows, as it comes. */
export interface DayRows {
  /** @returns the rows that are complete with this piece, as lines */
  add(json: Uint8Array): string;
  /** @throws Error when the answer is not complete */
  end(): void;
}

/**
 * Reads the JSON of sealed days and copies its numbers as the texts that they are: the exactness of a figure beyond 2^53
 * would not survive a number of JavaScript. It knows the one form in which days are sealed and nothing else.
 *
 * @throws Error from `add` and `end` for anything but an answer of /data/adAccount, /data/campaign or /data/adGroup
 */
export function createDayRows(): DayRows {
  const decoder = new StringDecoder('utf8');
  let place: Place = 'start';
  let rest = '';
  let at = 0;
  let date = '';
  let list = '';

  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(rest);
    if (found) at = pattern.lastIndex;
    return found ?? undefined;
  };
  const passes = (literal: string, next: Place): boolean => {
    if (!rest.startsWith(literal, at)) return false;
    at += literal.length;
    place = next;
    return true;
  };
  /** Each reads one thing: its lines, or undefined where it has not wholly come. */
  const readers: Record<Place, () => string | undefined> = {
    start() {
      if (!take(HEAD)) return undefined;
      place = 'days';
      return '';
    },
    days() {
      if (passes(']}}', 'end')) return '';
      const day = take(DAY);
      if (!day) return undefined;
      place = 'lists';
      date = day[1] ?? '';
      return csvLine([date, 'total', '', numberCells(day, 2)]);
    },
    lists() {
      if (passes('}', 'days')) return '';
      const name = take(LIST)?.[1];
      if (name === undefined) return undefined;
      place = 'entries';
      list = name;
      return '';
    },
    entries() {
      if (passes(']', 'lists')) return '';
      const entry = take(ENTRY);
      if (!entry) return undefined;
      const [, name, value = ''] = entry;
      if (name !== list) throw noAnswer(`an entry of ${name} in the list ${list}`);
      return csvLine([date, list, textCell(textOf(value)), numberCells(entry, 3)]);
    },
    end: () => undefined,
  };

  return {
    add(json) {
      rest = rest.slice(at) + decoder.write(json);
      at = 0;
      let lines = '';
      for (let read = readers[place](); read !== undefined; read = readers[place]()) lines += read;
      if (rest.length - at > ENTRY_MAX) throw noAnswer(place);
      return lines;
    },
    end() {
      if (place !== 'end' || at < rest.length || decoder.end() !== '') throw noAnswer(place);
    },
  };
}

/**
 * The metrics of a DataObject's JSON as cells, null as an empty one.
 *
 * @throws Error for any other text
 */
export function metricCells(json: string): string {
  ONE.lastIndex = 0;
  const found = ONE.exec(json);
  if (!found) throw noAnswer('a DataObject');
  return numberCells(found, 1);
}

/** The numbers found from there on, null as an empty cell. A loop: with slices and maps a whole table took a fifth longer. */
function numberCells(found: RegExpExecArray, from: number): string {
  let cells = '';
  for (let index = from; index < found.length; index += 1) {
    if (index > from) cells += ',';
    if (found[index] !== 'null') cells += found[index];
  }
  return cells;
}

/** A JSON string's text; most have nothing to decode. */
function textOf(json: string): string {
  return json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1);
}

function noAnswer(where: string): Error {
  return new Error(`Stored statistics are not in the form in which days are sealed: ${where}`);
}
