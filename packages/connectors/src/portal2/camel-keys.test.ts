import fc from 'fast-check';
import { camelCase, camelKeys } from './camel-keys.ts';
import { camelCased, ProviderReportRowSchema } from './schema.ts';

test.each([
  ['conv_purchase_7d', 'convPurchase7d'],
  ['conv_purchase_p_7d', 'convPurchaseP7d'],
  ['creative_link_id', 'creativeLinkId'],
  ['convPurchaseP7d', 'convPurchaseP7d'],
  ['imp', 'imp'],
])('%s is read as %s', (sent, name) => {
  expect(camelCase(sent)).toBe(name);
});

test('both spellings of a row are one row', () => {
  const row = (dimensions: object, metrics: object) =>
    ProviderReportRowSchema.parse({ start: '20261118', end: '20261118', dimensions, metrics });
  const snake = row({ campaign_id: 7, hour: 3 }, { imp: '12', conv_purchase_p_7d: 4500 });
  expect(row({ campaignId: 7, hour: 3 }, { imp: '12', convPurchaseP7d: 4500 })).toEqual(snake);
  expect(snake.metrics).toEqual({ imp: '12', convPurchaseP7d: 4500 });
});

test('a field under both spellings is refused by its name', () => {
  const both = {
    start: '1',
    end: '1',
    dimensions: {},
    metrics: { conv_purchase_7d: 1, convPurchase7d: 2 },
  };
  expect(ProviderReportRowSchema.safeParse(both).error?.issues[0]).toMatchObject({
    path: ['metrics'],
    message: "two spellings of 'convPurchase7d'",
  });
});

test.each([null, 'text', 4, ['a']])('%p is no object of fields', (value) => {
  const { error } = ProviderReportRowSchema.safeParse({
    start: '1',
    end: '1',
    dimensions: value,
    metrics: {},
  });
  expect(error?.issues[0]?.path).toEqual(['dimensions']);
});

test('every field stays, and naming twice changes nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), fc.nat()), (record) => {
      const { renamed, clash } = camelKeys(record);
      const names = Object.keys(record).map(camelCase);
      expect(clash === undefined).toBe(new Set(names).size === names.length);
      expect(camelKeys(renamed)).toEqual({ renamed, clash: undefined });
    }),
  );
});

test('a schema sees camel case only', () => {
  const schema = camelCased(ProviderReportRowSchema.pick({ start: true }));
  expect(schema.parse({ start: 'a', other_field: 1 })).toEqual({ start: 'a' });
});
