import { sumAtoms } from '../truth/ads-truth.ts';
import { type AdsFactsPlan, createAdsFacts } from './ads-facts.ts';
import { type AdsTreePlan, createAdsTree } from './ads-tree.ts';

const TREE: AdsTreePlan = {
  channel: 'TEST',
  accounts: [
    { name: 'open', zone: 'Asia/Seoul', currency: 'KRW' },
    { name: 'closed', zone: 'America/New_York', currency: 'USD', isClosed: true },
  ],
  idOf: (kind, n) => `${kind}-${n}`,
  campaigns: 3,
  adGroupsPerCampaign: 2,
  adsPerAdGroup: 2,
  keywordsPerAdGroup: 3,
  campaignsWithoutAdGroups: 1,
};
const FACTS: AdsFactsPlan = {
  dimensions: { device: { PC: 3, MOBILE: 6, '': 1 } },
  restatedDays: 3,
  moneyStep: 1_000_000,
  conversionStep: 1_000_000,
};
const DATES = ['2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13'];
const NOON = Date.parse('2026-11-14T03:00:00Z');
const DAY_MS = 86_400_000;

describe('the world of ads', () => {
  const [open, closed] = createAdsTree('seed', TREE);
  if (!open || !closed) throw new Error('The plan names two accounts');

  const textOf = (now: number, seed = 'seed') => {
    const facts = createAdsFacts(seed, FACTS);
    return open.leaves
      .flatMap((leaf) => DATES.flatMap((date) => facts.atoms(leaf, date, now)))
      .map(({ leaf, keyword, ...atom }) => JSON.stringify([leaf.id, keyword?.id, atom]));
  };

  test('tells the same of the same seed and moment, and something else of another seed', () => {
    expect(textOf(NOON)).toEqual(textOf(NOON));
    expect(textOf(NOON)).not.toEqual(textOf(NOON, 'other'));
  });

  test('goes on changing for the restated days, down as well as up, and then stands still', () => {
    const first = new Set(textOf(NOON));
    const last = new Set(textOf(NOON + 4 * DAY_MS));
    expect([...last].some((atom) => !first.has(atom))).toBe(true);
    expect([...first].some((atom) => !last.has(atom))).toBe(true);
    expect(textOf(NOON + 5 * DAY_MS)).toEqual([...last]);
  });

  test('delivers nothing in a closed account or before the day began', () => {
    const facts = createAdsFacts('seed', FACTS);
    expect(closed.leaves.flatMap((leaf) => facts.atoms(leaf, '2026-11-10', NOON))).toEqual([]);
    expect(open.leaves.flatMap((leaf) => facts.atoms(leaf, '2026-11-15', NOON))).toEqual([]);
  });

  test('counts money and conversions in whole steps', () => {
    const facts = createAdsFacts('seed', FACTS);
    const atoms = open.leaves.flatMap((leaf) => facts.atoms(leaf, '2026-11-10', NOON));
    const { impressions, spend, conversions, amount } = sumAtoms(atoms);
    expect(impressions).toBeGreaterThan(0);
    for (const micros of [spend, conversions, amount]) {
      expect(micros).toBeGreaterThan(0);
      expect(micros % 1_000_000).toBe(0);
    }
  });

  test('gives every object an id of its own, and campaigns without ad groups deliver themselves', () => {
    const ids = [...open.campaigns, ...open.adGroups, ...open.ads, ...open.keywords].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(open.leaves.filter(({ kind }) => kind === 'campaign')).toHaveLength(1);
  });
});
