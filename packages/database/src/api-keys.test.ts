import { checkApiKey } from './api-keys.ts';

describe('checkApiKey', () => {
  it.each([
    '',
    'trb_',
    'Bearer x',
    `trb_${'a'.repeat(16)}_${'b'.repeat(52)}_${'c'.repeat(7)}`,
    `trb_${'a'.repeat(16)}_${'b'.repeat(51)}_${'c'.repeat(7)}`,
    `TRB_${'a'.repeat(16)}_${'b'.repeat(52)}_${'c'.repeat(7)}`,
    'trb_{"$gt":""}',
    `trb_${'a'.repeat(100_000)}`,
  ])('refuses %.40s without a database', (text) => {
    expect(checkApiKey(text)).toBeUndefined();
  });
});
