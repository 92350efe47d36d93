// @ts-check
import fc from 'fast-check';
import { findMirror, parseDeb822, parseList } from './apt-sources.mjs';

const deb822 = `# written by the installer
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
# a comment inside a stanza
Components: main
 contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Types: deb
URIs: https://vendor.example/node
Suites: nodistro
Components: main
Enabled: no
`;

test('a deb822 file gives its enabled stanzas with continued fields', () => {
  expect(parseDeb822(deb822)).toEqual([
    {
      uri: 'http://mirror.example/debian',
      suites: ['bookworm', 'bookworm-updates'],
      components: ['main', 'contrib'],
      signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      trusted: false,
    },
    {
      uri: 'http://mirror.example/debian-security',
      suites: ['bookworm-security'],
      components: ['main'],
      signedBy: undefined,
      trusted: false,
    },
  ]);
});

test('a stanza of sources alone gives nothing', () => {
  expect(parseDeb822('Types: deb-src\nURIs: http://a/\nSuites: sid\nComponents: main\n')).toEqual(
    [],
  );
});

test('a key inside the file is not mistaken for a path', () => {
  const text =
    'Types: deb\nURIs: http://a/\nSuites: sid\nComponents: main\nSigned-By:\n -----BEGIN PGP\n .\n abc\n';
  expect(parseDeb822(text)[0]?.signedBy).toBeUndefined();
});

test('a one-line file gives its options and skips comments and sources', () => {
  const text = [
    '# deb http://commented.example/ bookworm main',
    'deb-src http://mirror.example/debian bookworm main',
    'deb [ arch=amd64 signed-by=/k.gpg trusted=yes ] http://mirror.example/debian bookworm main contrib # note',
  ].join('\n');
  expect(parseList(text)).toEqual([
    {
      uri: 'http://mirror.example/debian',
      suites: ['bookworm'],
      components: ['main', 'contrib'],
      signedBy: '/k.gpg',
      trusted: true,
    },
  ]);
});

test('both forms of one source are read alike', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const source = fc.record({
    uri: word.map((host) => `http://${host}.example/debian`),
    suite: word,
    components: fc.array(word, { minLength: 1, maxLength: 3 }),
    signedBy: fc.option(
      word.map((name) => `/${name}.gpg`),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(source, ({ uri, suite, components, signedBy }) => {
      const oneLine = `deb ${signedBy ? `[signed-by=${signedBy}] ` : ''}${uri} ${suite} ${components.join(' ')}`;
      const stanza = `Types: deb\nURIs: ${uri}\nSuites: ${suite}\nComponents: ${components.join(' ')}\n`;
      expect(parseList(oneLine)).toEqual(
        parseDeb822(signedBy ? `${stanza}Signed-By: ${signedBy}\n` : stanza),
      );
    }),
  );
});

test('the mirror is the archive of the release, not its security updates nor a vendor', () => {
  const sources = parseDeb822(deb822).toReversed();
  expect(findMirror(sources, 'bookworm')?.uri).toBe('http://mirror.example/debian');
  expect(
    findMirror(parseList('deb http://vendor.example/ nodistro main'), 'bookworm'),
  ).toBeUndefined();
});

test('a machine that follows a moving suite has a mirror too', () => {
  expect(findMirror(parseList('deb http://m.example/debian sid main'), undefined)?.uri).toBe(
    'http://m.example/debian',
  );
});
