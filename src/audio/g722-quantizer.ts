/** How the difference between a sample and its prediction becomes the code of its band (ITU-T G.722 section 6.2.1). */

/** Decision levels of the lower band between 30 magnitudes, as fractions of the step: 1.0 is 4,096. */
const DECISIONS = Int16Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650],
  ...[714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
);
/** Codes of the magnitudes, which count from 1. The smallest two of the negative ones are apart from the others. */
const POSITIVE_CODES = Uint8Array.from({ length: 31 }, (_, magnitude) => 62 - magnitude);
const NEGATIVE_CODES = Uint8Array.from(
  { length: 31 },
  (_, magnitude) => (magnitude < 3 ? 64 : 34) - magnitude,
);
/** The only decision level of the higher band. */
const HIGHER_DECISION = 564;

/** What the codes of the lower band stand for when all six bits have arrived, as fractions of the step: 1.0 is 32,768. */
export const LOWER_LEVELS = Int16Array.of(
  ...[-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360],
  ...[
    -8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688,
  ],
  ...[-1360, -1040, -728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856],
  ...[7192, 6576, 6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728],
  ...[432, 136, -432, -136],
);

/** The code of a difference in the lower band: six bits. */
export function lowerCode(difference: number, step: number): number {
  const isNegative = difference < 0;
  const magnitude = isNegative ? ~difference : difference;
  let least = 1;
  let most = DECISIONS.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (magnitude < Math.imul(DECISIONS[middle]!, step) >> 12) most = middle;
    else least = middle + 1;
  }
  return isNegative ? NEGATIVE_CODES[least]! : POSITIVE_CODES[least]!;
}

/** The code of a difference in the higher band: two bits. */
export function higherCode(difference: number, step: number): number {
  const isNegative = difference < 0;
  const magnitude = isNegative ? ~difference : difference;
  const isSmall = magnitude < Math.imul(HIGHER_DECISION, step) >> 12;
  return (isNegative ? 0 : 2) + (isSmall ? 1 : 0);
}
