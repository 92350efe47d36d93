// @ts-check
/**
 * What was asked and answered.
 * @typedef {ReturnType<typeof createTally>} Tally
 */
export function createTally() {
  /** @type {Map<string, Map<number, number>>} */
  const kinds = new Map();
  /** @type {Map<string, Map<number, number>>} */
  const operations = new Map();
  let count = 0;
  return {
    /**
     * @param {{ kind: string, operation: string | undefined, status: number }} answered
     */
    add({ kind, operation, status }) {
      count += 1;
      increase(kinds, kind, status);
      if (operation !== undefined) increase(operations, operation, status);
    },
    count: () => count,
    kinds,
    operations,
  };
}

/**
 * @param {Map<string, Map<number, number>>} table
 * @param {string} row
 * @param {number} status
 */
function increase(table, row, status) {
  const cells = table.get(row) ?? new Map();
  table.set(row, cells.set(status, (cells.get(status) ?? 0) + 1));
}

/**
 * The statuses of every row, in columns.
 * @param {ReadonlyMap<string, ReadonlyMap<number, number>>} table
 * @returns {string[]}
 */
export function tableLines(table) {
  const statuses = [...new Set([...table.values()].flatMap((cells) => [...cells.keys()]))].sort(
    (a, b) => a - b,
  );
  const width = Math.max(0, ...[...table.keys()].map((name) => name.length));
  const line = (/** @type {string} */ name, /** @type {(string | number)[]} */ cells) =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(7)).join('')}`;
  const rows = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    line('', [...statuses, 'all']),
    ...rows.map(([name, cells]) => {
      const all = [...cells.values()].reduce((sum, one) => sum + one, 0);
      return line(name, [...statuses.map((status) => cells.get(status) ?? ''), all]);
    }),
  ];
}
