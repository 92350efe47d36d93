import { acceptsGzip, matchesEtag } from './accept.ts';

describe('acceptsGzip', () => {
  it.each(['gzip', 'br, gzip', 'GZIP;q=0.1', 'x-gzip', '*', 'deflate, *;q=0.5', 'gzip ; q=1.0'])(
    'true for %s',
    (header) => expect(acceptsGzip(header)).toBe(true),
  );

  it.each([
    undefined,
    '',
    'br',
    'identity',
    'gzip;q=0',
    '*;q=0',
    'gzip;q=0, *',
    'gzipped',
    'gzip;q=x',
  ])('false for %s', (header) => expect(acceptsGzip(header)).toBe(false));
});

describe('matchesEtag', () => {
  it.each(['W/"a"', '"a"', '*', '"b", W/"a"', ' W/"a" '])('%s names W/"a"', (header) => {
    expect(matchesEtag(header, 'W/"a"')).toBe(true);
  });

  it.each([undefined, '', '"b"', 'a', 'W/"aa"'])('%s does not', (header) => {
    expect(matchesEtag(header, 'W/"a"')).toBe(false);
  });
});
