// @ts-check
import { readDocument } from './document.mjs';
import { randomOf } from './random.mjs';
import { validDraft } from './requests.mjs';
import { createValues } from './values.mjs';

test('where an answer comes in several types, requests ask for each of them', () => {
  const content = { 'application/json': { schema: {} }, 'text/csv': { schema: {} } };
  const responses = { 200: { description: '', content } };
  const api = readDocument({ paths: { '/table': { get: { responses } } }, components: {} });
  const [operation] = api.operations;
  if (!operation) throw new Error('The document has no operation');
  const values = createValues(api, {}, 1);
  const asked = Array.from({ length: 40 }, (_, index) =>
    validDraft(operation, { values, random: randomOf(1, index) }).headers.join(),
  );
  expect(new Set(asked)).toEqual(new Set(['Accept,application/json', 'Accept,text/csv']));
});
