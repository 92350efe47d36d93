import { plainObject, tenantScope } from './tenant-scope.ts';

describe('tenantScope', () => {
  it('holds the tenant and nothing else', () => {
    expect(tenantScope('t1')).toEqual({ tenant: 't1' });
  });

  it.each([undefined, null, '', '  ', 0, {}, { $ne: '' }, ['t1']])('throws on %j', (tenant) => {
    // The casts stand for code that got past the compiler.
    expect(() => tenantScope(tenant as unknown as string)).toThrow(TypeError);
  });
});

describe('plainObject', () => {
  it('lets names, lists and depth to 8 through unchanged', () => {
    const settings = { historyDays: 400, accountIds: ['1', '2'], dimensions: { device: 'd' } };
    expect(plainObject('settings', settings)).toBe(settings);
  });

  it.each([
    '{"$where":"1"}',
    '{"a":{"$gt":""}}',
    '{"a":[{"$ne":1}]}',
    '{"a.b":1}',
    '{"a\\u0000":1}',
    '{"":1}',
    '{"__proto__":{"a":1}}',
    '{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}}}}',
  ])('refuses %s', (text) => {
    expect(() => plainObject('settings', JSON.parse(text) as Record<string, unknown>)).toThrow(
      /^settings/,
    );
  });
});
