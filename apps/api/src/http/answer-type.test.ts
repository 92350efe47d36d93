import { chooseAnswerType } from './answer-type.ts';
import { ProblemError } from './problem.ts';

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('chooseAnswerType', () => {
  it.each([
    undefined,
    '',
    '*/*',
    '*',
    'application/*',
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json, text/plain, */*',
    'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    CHROME,
    'text/csv, application/json',
    'text/csv;q=0.9, application/json',
    'text/csv;q=0.8, */*',
    'text/csv;q=0, */*',
    'text/csv;q=many, */*;q=0.1',
    'text/*, */*',
    'text/csv;q=0, text/*, application/json;q=0.1',
  ])('answers %p with JSON', (accept) => {
    expect(chooseAnswerType(accept)).toBe('application/json');
  });

  it.each([
    'text/csv',
    'TEXT/CSV;header=present',
    'text/csv; charset=utf-8; q=0.1',
    'text/*',
    'text/csv, */*',
    'text/csv, */*;q=0.8',
    'application/json;q=0.5, text/csv',
    'application/json;q=0, */*',
    'application/json;q=0.2, */*;q=0.3',
    'image/png, text/csv;q=0.001',
  ])('answers %p with a table', (accept) => {
    expect(chooseAnswerType(accept)).toBe('text/csv');
  });

  it.each([
    'image/png',
    'application/xml',
    'text/csv;q=0',
    '*/*;q=0',
    'application/json;q=0.0, text/csv;q=0',
    'json',
    ', ;',
  ])('refuses %p and names what is offered', (accept) => {
    const choose = () => chooseAnswerType(accept);
    expect(choose).toThrow(ProblemError);
    expect(choose).toThrow(/application\/json and text\/csv/);
    expect(choose).toThrow(accept);
  });
});
