import { invalidFile, type SourceText } from './source-row.ts';

/**
 * Text of bytes as they come, without a byte order mark.
 *
 * @throws ProblemError `invalid_request` for bytes that are no UTF-8
 */
export async function* utf8Text(bytes: AsyncIterable<Uint8Array>): SourceText {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (piece?: Uint8Array) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw invalidFile('The body is not valid UTF-8');
    }
  };
  for await (const piece of bytes) yield decode(piece);
  yield decode();
}
