// Exact values as people read them: fractions rounded to the nearest, in such a way that a sum still adds up.

/** @import { Analysis } from "./game/analysis.js" */

/** @type {(numerator: bigint, denominator: bigint) => bigint} Return the nearest whole number; of two, the even one. */
export function rounded(numerator, denominator) {
  const doubled = 2n * numerator + denominator;
  const up = floor(doubled, 2n * denominator);
  return up * 2n * denominator === doubled && up % 2n ? up - 1n : up;
}

/** @type {(numerator: bigint, denominator: bigint) => bigint} */
const floor = (numerator, denominator) =>
  numerator / denominator - (numerator % denominator < 0n ? 1n : 0n);

/** @type {(number: number, digits: number) => string} */
const fixed = (number, digits) =>
  number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @type {(value: bigint, denominator: bigint) => string} Return hundredths: "7.36". */
export const points = (value, denominator) => fixed(Number(rounded(100n * value, denominator)) / 100, 2);

/** @type {(value: bigint, denominator: bigint) => string} Return what was lost, which is 0.00 for nothing only. */
export const lostPoints = (value, denominator) =>
  value > 0n && 100n * value < denominator ? "under 0.01" : points(value, denominator);

/**
 * Return the parts of a penalty in thousandths: expected + givenAway + luck is exactly the penalty. Points given away
 * are rounded down, as they rank; luck takes up what rounding leaves.
 * @type {(analysis: Analysis) => {expected: number, givenAway: number, luck: number, penalty: number}}
 */
export function sums({ denominator, expected, givenAway, penalty }) {
  const left = Number(penalty / denominator);
  const start = Number(rounded(1000n * expected, denominator));
  const given = Number((1000n * givenAway) / denominator);
  return { expected: start, givenAway: given, luck: 1000 * left - start - given, penalty: left };
}

/**
 * Return the same as a sentence.
 * @type {(analysis: Analysis) => string}
 */
export function identityWords(analysis) {
  const { expected, givenAway, luck, penalty } = sums(analysis);
  const [start, given, turned] = [expected, givenAway, Math.abs(luck)].map((milli) => fixed(milli / 1000, 3));
  return (
    `${start} are left on the average by the best play, ${given} were given away and ${turned} ` +
    `${luck < 0 ? "saved by luck" : "lost to bad luck"}: ${penalty.toLocaleString("en")} left.`
  );
}

/** @type {(milli: number) => string} Return "13.31 for you", "0.40 against you" or "none"; negative luck is good. */
export function luckText(milli) {
  const amount = points(BigInt(Math.abs(milli)), 1000n);
  return milli ? `${amount} ${milli < 0 ? "for" : "against"} you` : "none";
}

/**
 * Return "11.009 + 4.300 − 13.309 = 2": what the best player leaves, given away, luck, what is left.
 * @type {(analysis: Analysis) => string}
 */
export function identity(analysis) {
  const { expected, givenAway, luck, penalty } = sums(analysis);
  const signed = `${luck < 0 ? "−" : "+"} ${fixed(Math.abs(luck) / 1000, 3)}`;
  return `${fixed(expected / 1000, 3)} + ${fixed(givenAway / 1000, 3)} ${signed} = ${penalty.toLocaleString("en")}`;
}
