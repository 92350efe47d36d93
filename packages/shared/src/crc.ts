/** The CRC-32 polynomial of gzip, bit-reversed: the highest bit stands for x^0. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** Multiplies two polynomials modulo the CRC polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/**
 * x^(8 x `length`) modulo the CRC polynomial: what moves a CRC over `length` further bytes. Stored with every piece, so
 * that joining pieces costs one multiplication each.
 */
export function crcShift(length: number): number {
  let shift = ONE;
  let square = ONE >>> 8; // x^8: one byte
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(square, shift);
    square = multiply(square, square);
  }
  return shift;
}

/** The CRC-32 of two texts one after the other, from their CRCs and the second one's {@link crcShift}. */
export function crcJoin(first: number, second: number, secondShift: number): number {
  return (multiply(secondShift, first) ^ second) >>> 0;
}
