import { campaignDay, createRandom } from './figures.mjs';

const names = /** @type {const} */ (['age', 'gender', 'country', 'region', 'device', 'hour']);
const impressions = 4;

describe('campaignDay', () => {
  it('is the same for the same seed', () => {
    expect(campaignDay('c', createRandom(7))).toEqual(campaignDay('c', createRandom(7)));
    expect(campaignDay('c', createRandom(7))).not.toEqual(campaignDay('c', createRandom(8)));
  });

  it.each(
    /** @type {const} */ ([
      ['M', 55],
      ['L', 160],
    ]),
  )(
    'of size %s leaves something unattributed in every list, and makes %i entries with it',
    (size, wanted) => {
      const random = createRandom(1);
      for (let day = 0; day < 100; day += 1) {
        const { base, ...lists } = campaignDay('c', random, size);
        const entries = names.reduce((count, name) => count + lists[name].length + 1, 0);
        expect(entries).toBe(wanted);
        for (const name of names) {
          const sum = lists[name].reduce((total, row) => total + Number(row[impressions]), 0);
          expect(sum).toBeGreaterThan(0);
          expect(sum).toBeLessThan(Number(base[0]?.[impressions]));
        }
      }
    },
  );
});
