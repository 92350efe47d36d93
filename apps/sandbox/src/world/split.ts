/** Running sums of weights: what `share` and `pick` work on. */
export function cumulate(weights: readonly number[]): number[] {
  let sum = 0;
  return weights.map((weight) => {
    sum += weight;
    return sum;
  });
}

/** The k-th share of a whole number split by cumulated weights; the shares always add up to it. */
export function share(value: number, cumulated: readonly number[], k: number): number {
  const sum = cumulated[cumulated.length - 1] ?? 1;
  const upTo = (i: number): number => (i < 0 ? 0 : Math.floor((value * (cumulated[i] ?? 0)) / sum));
  return upTo(k) - upTo(k - 1);
}

/** An index chosen with the probability of its weight. */
export function pick(random: () => number, cumulated: readonly number[]): number {
  const at = random() * (cumulated[cumulated.length - 1] ?? 1);
  return cumulated.findIndex((upTo) => upTo > at);
}
