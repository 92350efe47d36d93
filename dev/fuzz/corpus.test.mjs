// @ts-check
import { PAYLOADS, withMarker } from './corpus.mjs';
import { indexOfMarker, markerOf } from './random.mjs';

test('there are at least 200 payloads, none twice', () => {
  expect(new Set(PAYLOADS.map(({ text }) => text)).size).toBe(PAYLOADS.length);
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(200);
});

test('every operator carries the marker in its name or on its value', () => {
  const operators = PAYLOADS.filter(({ family }) => family === 'operator');
  expect(operators.length).toBeGreaterThan(60);
  for (const payload of operators) {
    const { text, json } = withMarker(payload, markerOf(7));
    expect(JSON.parse(text)).toEqual(json);
    expect(indexOfMarker(text)).toBe(7);
  }
});

test('nothing but the marker changes', () => {
  const payload = { family: 'x', text: "M'; EXEC Mail(M)--", json: { $M: 'M', Max: 1 } };
  expect(withMarker(payload, '!')).toEqual({
    text: "!'; EXEC Mail(!)--",
    json: { '$!': '!', Max: 1 },
  });
});
