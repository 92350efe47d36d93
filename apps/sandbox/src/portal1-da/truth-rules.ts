import type { AdsListRule, AdsTruthRules } from '../truth/ads-truth.ts';

const levels = ['account', 'campaign', 'adGroup'] as const;

/** A list that the owner's feed gives in the interface's words. */
function fed(dimension: string): AdsListRule {
  return { raw: ({ values }) => values[dimension] ?? '', word: (raw) => raw, levels };
}

/** The interface's row for the display channel: conversions and their value, neither reach nor rimp. */
export const DISPLAY_TRUTH_RULES: AdsTruthRules = {
  lists: {
    age: fed('age'),
    gender: fed('gender'),
    hour: { raw: ({ hour }) => String(hour).padStart(2, '0'), word: (raw) => raw, levels },
    devicePlatform: fed('devicePlatform'),
    publisherGroup: fed('publisherGroup'),
    placementGroup: fed('placementGroup'),
  },
  supports: (metric) => metric === 'conversions' || metric === 'amount',
};
