import { createReleasers } from '@tributary/runtime';
import {
  BUILT_CHANNELS,
  type ChannelType,
  CreateLinkBodySchema,
  SETTINGS_SCHEMAS,
} from '@tributary/shared';
import fc from 'fast-check';
import { createConnectors } from './registry.ts';
import { createTestTokens } from './testing/access-tokens.ts';
import { createOpenBudget } from './testing/contract.ts';

const secret = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('token-1'));
/** Values near the line between good and bad of what all built channels know, and one that none knows. */
const common = {
  historyDays: fc.oneof(fc.integer({ min: -1, max: 1_200 }), fc.constant('30')),
  timezone: fc.constantFrom('Asia/Seoul', 'UTC', 'asia/seoul', 'Asia/Soul', ''),
  currency: fc.constantFrom('KRW', 'EUR', 'usd', 'EURO'),
};
const customerId = fc.constantFrom('123-456-7890', '1234567890', '098-7654321', '123');
const bodies = fc.oneof(
  bodyOf('SOCIAL_ADS', {
    credentials: { accessToken: secret, appId: secret, appSecret: secret },
    settings: {
      accountIds: fc.array(fc.constantFrom('act_1', '12', 'act_', 'my shop'), { maxLength: 3 }),
      conversion: fc.constantFrom('omni_purchase', 'lead', ' ', ''),
    },
  }),
  bodyOf('PORTAL1_SEARCH_AD', {
    credentials: {
      customerId: fc.constantFrom('1234567', '12-34', '', ' 1'),
      apiKey: secret,
      secretKey: secret,
    },
    settings: {
      conversionKinds: fc.array(fc.constantFrom('purchase', 'lead', ' ', ''), { maxLength: 3 }),
    },
  }),
  bodyOf('PORTAL2_KEYWORD', {
    credentials: { businessToken: secret },
    settings: {
      adAccountIds: fc.array(fc.constantFrom('4123', '', 'act_1'), { maxLength: 2 }),
      conversionWindowDays: fc.constantFrom(1, 7, 28, '7'),
      dimensions: fc.constantFrom({}, { device: 'DEVICE' }, { hour: '' }, { age: 'AGE' }),
    },
  }),
  bodyOf('PORTAL2_DISPLAY', {
    credentials: { businessToken: secret, appId: secret },
    settings: {
      adAccountIds: fc.array(fc.constantFrom('312345', '9', '', 'my shop'), { maxLength: 3 }),
      conversionWindowDays: fc.constantFrom(1, 7, 30, '7'),
    },
  }),
  bodyOf('PORTAL1_DA', {
    credentials: {
      clientId: secret,
      clientSecret: secret,
      refreshToken: secret,
      accessManagerId: fc.constantFrom('1602', 'm-1', ''),
      feedToken: secret,
    },
    settings: {
      adAccountIds: fc.array(fc.constantFrom('8790', 'act_1', '12'), { maxLength: 3 }),
      feedUrl: fc.constantFrom('https://f.example/x', 'ftp://f'),
    },
  }),
  bodyOf('SEARCH_ENGINE_ADS', {
    credentials: {
      clientId: fc.constantFrom('1-a.apps', '2-b.apps', 'c', ' '),
      clientSecret: secret,
      refreshToken: secret,
      developerToken: fc.constantFrom('a_B-1', 'c', 'D', 'a b'),
      loginCustomerId: customerId,
    },
    settings: { customerIds: fc.array(customerId, { maxLength: 3 }) },
  }),
  bodyOf('PORTAL1_BLOG', {
    credentials: { feedToken: secret },
    settings: {
      feedUrl: fc.constantFrom('https://f.example/x?a=1', 'http://f.example', 'ftp://f', 'x y'),
    },
  }),
);

type Fields = Record<string, fc.Arbitrary<unknown>>;
function bodyOf(type: ChannelType, { credentials, settings }: Record<string, Fields>) {
  const known = { ...common, ...settings };
  const some = fc.record(known, { requiredKeys: [] });
  const surprising = fc.record({ ...known, surprise: fc.constant(1) }, { requiredKeys: [] });
  return fc.record({
    type: fc.constant(type),
    title: fc.constant('t'),
    // Whole ones often enough that every channel has some that are accepted.
    credentials: fc.oneof(
      fc.record({ ...credentials }),
      fc.record({ ...credentials }, { requiredKeys: [] }),
    ),
    settings: fc.oneof(some, surprising, fc.constant(undefined)),
  });
}

test('whatever POST /link accepts, the connector reads again unchanged', async () => {
  const releasers = createReleasers();
  const connectors = createConnectors({
    budget: createOpenBudget().budget,
    accessTokens: createTestTokens(() => 0),
    clock: { now: () => 0 },
    allowPrivateAddresses: false,
    releasers,
  });
  const accepted = new Set<string>();
  fc.assert(
    fc.property(bodies, (body) => {
      const parsed = CreateLinkBodySchema.safeParse(body);
      if (!parsed.success) return;
      const { type, credentials } = parsed.data;
      const settings = SETTINGS_SCHEMAS[type].parse(parsed.data.settings ?? {});
      accepted.add(type);
      expect(connectors[type]?.CredentialsSchema.parse(stored(credentials))).toEqual(credentials);
      expect(connectors[type]?.SettingsSchema.parse(stored(settings))).toEqual(settings);
    }),
    { numRuns: 1_000 },
  );
  expect([...accepted].toSorted()).toEqual([...BUILT_CHANNELS].toSorted()); // else the property said nothing
  await releasers.releaseAll();
});

function stored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
