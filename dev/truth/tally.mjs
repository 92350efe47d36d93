// @ts-check
/** What was compared, and what differed. */
export function createTally() {
  let cells = 0;
  let figures = 0;
  let movedOn = 0;
  /** @type {string[]} */
  const differences = [];
  return {
    /**
     * One entity and day, or one sum of an ad.
     * @param {{ place: string, stored: string, truth: string }[]} compared
     */
    add(compared) {
      cells += 1;
      figures += compared.length;
      for (const { place, stored, truth } of compared) {
        if (stored !== truth) differences.push(`${place}: stored [${stored}], truth [${truth}]`);
      }
    },
    /** A cell that the platform changed after it was read, and that was right when it was. */
    movedOn() {
      movedOn += 1;
    },
    result: () => ({ cells, figures, movedOn, differences }),
  };
}

/** @typedef {ReturnType<typeof createTally>} Tally */
