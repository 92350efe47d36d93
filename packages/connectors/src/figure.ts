import { compareExact, type Exact } from '@tributary/shared';

/**
 * A figure as a platform sends it, read exactly; undefined when it is no number or lies below zero.
 *
 * @param convert throws RangeError for what is no number of its kind
 */
export function figureOf<Sent extends string | number>(
  convert: (sent: Sent) => Exact,
  sent: Sent,
): Exact | undefined {
  try {
    const figure = convert(sent);
    return compareExact(figure, 0) >= 0 ? figure : undefined;
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}
