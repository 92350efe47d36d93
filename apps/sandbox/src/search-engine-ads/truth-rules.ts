import type { AdsTruthRules } from '../truth/ads-truth.ts';
import { createZone } from '../world/days.ts';
import { createPublication, PACIFIC } from './resources.ts';
import { keywordOf, NO_REGION, PLACES } from './world.ts';

const LEVELS = ['account', 'campaign', 'adGroup'] as const;

const AGES: Readonly<Record<string, string>> = {
  AGE_RANGE_18_24: '18-24',
  AGE_RANGE_25_34: '25-34',
  AGE_RANGE_35_44: '35-44',
  AGE_RANGE_45_54: '45-54',
  AGE_RANGE_55_64: '55-64',
  AGE_RANGE_65_UP: '65+',
  AGE_RANGE_UNDETERMINED: 'unknown',
};
const DEVICES: Readonly<Record<string, string>> = { CONNECTED_TV: 'tv' };
const GENDERS: Readonly<Record<string, string>> = { UNDETERMINED: 'unknown' };

/** What a correct product makes of the platform's figures, from the interface's tables. */
export function createTruthRules(): AdsTruthRules {
  const isPublished = createPublication(createZone(PACIFIC));
  const demographic = (name: 'age' | 'gender', words: Readonly<Record<string, string>>) => ({
    raw: ({ values }: { values: Readonly<Record<string, string>> }) => values[name] ?? '',
    word: (raw: string) => words[raw] ?? raw.toLowerCase(),
    levels: LEVELS,
    ofAdGroups: true,
    isTold: isPublished,
  });
  return {
    lists: {
      age: demographic('age', AGES),
      gender: demographic('gender', GENDERS),
      device: {
        raw: ({ values }) => values.device ?? '',
        word: (raw) => DEVICES[raw] ?? raw.toLowerCase(),
        levels: LEVELS,
      },
      region: {
        raw: ({ values }) => values.region ?? '',
        word: (raw) => (raw === NO_REGION ? 'unknown' : (PLACES[raw]?.canonicalName ?? raw)),
        levels: LEVELS,
        ofAdGroups: true,
      },
      hour: {
        raw: ({ hour }) => String(hour).padStart(2, '0'),
        word: (raw) => raw,
        levels: LEVELS,
      },
      keyword: {
        raw: ({ keyword }) => (keyword ? `${keyword.id} ${keywordOf(keyword).text}` : ''),
        word: (raw) => raw.slice(raw.indexOf(' ') + 1),
        levels: LEVELS,
        ofAdGroups: true,
      },
    },
    supports: (metric) => metric === 'conversions' || metric === 'amount',
  };
}
