// Rounding of exact values, as Python rounds fractions (service/shutbox/web/analysis_table.py).

import assert from "node:assert/strict";
import { test } from "node:test";

import { identity, lostPoints, luckText, points, rounded, sums } from "../../client/shutbox_web/static/js/points.js";

test("a fraction becomes the nearest whole number, and of two the even one", () => {
  const cases = [[1n, 2n, 0n], [3n, 2n, 2n], [5n, 2n, 2n], [7n, 4n, 2n], [5n, 4n, 1n], [0n, 3n, 0n], [6n, 3n, 2n]];
  for (const [numerator, denominator, whole] of cases) {
    assert.equal(rounded(numerator, denominator), whole);
    assert.equal(rounded(-numerator, denominator), -whole);
  }
});

test("values are hundredths, and only nothing is lost as 0.00", () => {
  assert.equal(points(736n, 100n), "7.36");
  assert.equal(points(123456789n, 1n), "123,456,789.00");
  assert.equal(lostPoints(0n, 7n), "0.00");
  assert.equal(lostPoints(1n, 10n ** 9n), "under 0.01");
  assert.equal(lostPoints(1n, 100n), "0.01");
  assert.equal(luckText(-13309), "13.31 for you");
  assert.equal(luckText(400), "0.40 against you");
  assert.equal(luckText(0), "none");
});

test("the parts of a penalty add up after rounding, whatever their fractions", () => {
  for (let expected = 0n; expected < 70n; expected++) {
    for (const givenAway of [0n, 1n, 3n, 20n]) {
      const denominator = 7n;
      const penalty = 12n * denominator;
      const found = { denominator, expected, givenAway, penalty, luck: penalty - expected - givenAway, steps: [] };
      const parts = sums(found);
      assert.equal(parts.expected + parts.givenAway + parts.luck, 12_000);
      assert.ok(Math.abs(parts.luck - (1000 * Number(found.luck)) / 7) < 2);
    }
  }
  const told = { denominator: 1000n, expected: 11009n, givenAway: 4300n, penalty: 2000n, luck: -13309n, steps: [] };
  assert.equal(identity(told), "11.009 + 4.300 − 13.309 = 2");
});
