// Days as yyyymmdd, and their distance in days; arithmetic only, so that nothing here can ask for today.

import { Fault, Refused } from "./faults.js";

const DAY_MS = 86_400_000;
const BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
const DAYS_BEFORE_1970 = 719_162;

/** @type {(day: number) => [number, number, number]} Return year, month and day of the month. */
const partsOf = (day) => [Math.floor(day / 10_000), Math.floor(day / 100) % 100, day % 100];

/**
 * Return the number of a day, 19700101 being day 0. Refuses what is no day from 1970 to 9999.
 * @param {number} day
 */
export function dayNumber(day) {
  const [year, month, dayOfMonth] = partsOf(day);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = BEFORE_MONTH[month] - BEFORE_MONTH[month - 1] + Number(leap && month === 2); // NaN: no such month
  if (!(year >= 1970 && year <= 9999 && dayOfMonth >= 1 && dayOfMonth <= length)) {
    throw new Refused(Fault.BAD_DAY, String(day));
  }
  const years = year - 1;
  const leapYears = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const dayOfYear = BEFORE_MONTH[month - 1] + Number(leap && month > 2) + dayOfMonth - 1;
  return 365 * years + leapYears + dayOfYear - DAYS_BEFORE_1970;
}

/** @type {(day: number) => bigint} Return 00:00 UTC of a day in unix ms. */
export const midnight = (day) => BigInt(dayNumber(day) * DAY_MS);

/** @type {(day: number) => string} Return a day as round ids write it: 2026-11-30. */
export const iso = (day) =>
  partsOf(day)
    .map((part, place) => String(part).padStart(place ? 2 : 4, "0"))
    .join("-");
