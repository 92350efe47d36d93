// @ts-check
import { readAnswer } from './connection.mjs';

const whole = { isHead: false, isEnded: false };

/** @param {string} text */
const bytes = (text) => Buffer.from(text, 'latin1');

test('an answer is complete with its last byte, and not before', () => {
  const first = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A: b\r\n\r\nabc';
  for (let length = 0; length < first.length; length += 1) {
    expect(readAnswer(bytes(first.slice(0, length)), whole)).toBeUndefined();
  }
  const found = readAnswer(bytes(`${first}HTTP/1.1 404`), whole);
  expect(found?.length).toBe(first.length);
  expect(found?.answer).toMatchObject({ status: 200, body: Buffer.from('abc'), isLast: false });
});

test('chunks are put together, interim answers passed over, heads have no body', () => {
  const chunked =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n';
  expect(readAnswer(bytes(chunked), whole)?.answer.body.toString()).toBe('abc');
  const interim = `HTTP/1.1 100 Continue\r\n\r\n${chunked}`;
  expect(readAnswer(bytes(interim), whole)).toMatchObject({
    answer: { status: 200 },
    length: interim.length,
  });
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n';
  expect(readAnswer(bytes(head), { ...whole, isHead: true })?.length).toBe(head.length);
});

test('what is no HTTP is refused', () => {
  expect(() => readAnswer(bytes('<html>\r\n\r\n'), whole)).toThrow("begins with '<html>'");
});
