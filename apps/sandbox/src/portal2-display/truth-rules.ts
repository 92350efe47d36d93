import type { AdsListRule, AdsTruthRules } from '../truth/ads-truth.ts';
import { dimensionValue } from './world.ts';

const DEVICES: Readonly<Record<string, string>> = {
  PC: 'desktop',
  Android: 'mobile',
  iOS: 'mobile',
};
const GENDERS: Readonly<Record<string, string>> = { M: 'male', F: 'female' };
const UNKNOWN = '알수없음';

function rule(list: string, word: AdsListRule['word']): AdsListRule {
  const levels = ['account', 'campaign', 'adGroup'] as const;
  return { raw: (atom) => dimensionValue(atom, list), word, levels };
}

/** What the interface's lists are of this channel. */
export const DISPLAY_TRUTH: AdsTruthRules = {
  lists: {
    device: rule('device', (raw) => DEVICES[raw] ?? 'other'),
    placement: rule('placement', (raw) => raw),
    age: rule('age', (raw) =>
      raw === UNKNOWN
        ? 'unknown'
        : raw.endsWith('~')
          ? raw.replace('~', '+')
          : raw.replace('~', '-'),
    ),
    gender: rule('gender', (raw) => GENDERS[raw] ?? 'unknown'),
    region: rule('region', (raw) => raw),
    hour: rule('hour', (raw) => raw.slice(0, 2)),
  },
  supports: (metric) => metric !== 'rimp',
};
