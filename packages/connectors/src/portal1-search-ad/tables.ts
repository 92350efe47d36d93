import {
  type Day,
  type Figures,
  mergeFigures,
  type ObservationRow,
  type Observed,
  type SetId,
} from '@tributary/shared';

const BLOCK_ROWS = 5_000;

export interface TablePlace {
  set: SetId;
  campaign: string;
  group: string;
  /** '' above the ads. */
  ad: string;
  /** '' in the totals. */
  value: string;
}

interface TableRow {
  place: TablePlace;
  figures: Figures;
}

/** Sums of a file's rows by what our lists tell apart: far fewer than the file has rows. */
export interface Tables {
  add(place: TablePlace, figures: Figures): void;
  /** What the sums are of. */
  places(): Iterable<TablePlace>;
  /** The rows in pieces; a place may be renamed, or left out where `rename` answers undefined. */
  rows(day: Day, rename: (place: TablePlace) => TablePlace | undefined): Iterable<Observed[]>;
}

export function createTables(): Tables {
  const sums = new Map<string, TableRow>();
  return {
    add(place, figures) {
      const { set, group, ad, value } = place; // an ad group has one campaign, and rows have an ad or a value
      const key = `${set}\t${group}\t${ad}${value}`;
      const known = sums.get(key);
      if (known) known.figures = mergeFigures(known.figures, figures);
      else sums.set(own(key), { place: ownPlace(place), figures });
    },
    *places() {
      for (const { place } of sums.values()) yield place;
    },
    *rows(day, rename) {
      const open = new Map<SetId, ObservationRow[]>();
      for (const { place, figures } of sums.values()) {
        const named = rename(place);
        if (!named) continue;
        const { set, campaign, group, ad, value } = named;
        const rows = open.get(set) ?? [];
        open.set(set, rows);
        rows.push([campaign, group, ad, value, ...figures]);
        if (rows.length < BLOCK_ROWS) continue;
        open.delete(set);
        yield [{ day, set, rows }];
      }
      const rest = [...open].map(([set, rows]) => ({ day, set, rows }));
      if (rest.length > 0) yield rest;
    },
  };
}

function ownPlace({ set, campaign, group, ad, value }: TablePlace): TablePlace {
  return { set, campaign: own(campaign), group: own(group), ad: own(ad), value: own(value) };
}

/** A part of a text holds the whole text in memory, here a piece of the file: kept is a copy. */
function own(text: string): string {
  return Buffer.from(text).toString();
}
