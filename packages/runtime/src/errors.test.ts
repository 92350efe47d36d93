import { RetryableError } from './errors.ts';

test('a message of any length keeps its beginning and its end in 4,000 characters', () => {
  const { message } = new RetryableError('x', `The key '${'k'.repeat(2_000_000)}'. Try later.`);
  expect(message.length).toBeLessThanOrEqual(4_000);
  expect(message).toMatch(/^The key 'k+ … k+'\. Try later\.$/);
  expect(new RetryableError('x', 'y'.repeat(4_000)).message).toBe('y'.repeat(4_000));
});
