/** Enrolments and reports as bytes, in one spelling: every device writes the same bytes for the same message. */

import { VERSION } from "./messages.js";

/**
 * Write a 64-bit floating-point number: the shortest decimals that are read back as the same number, with a fraction.
 * Numbers from 1e-5 up to 1e16 are written in full (0.00001, 1.0), others with an exponent (1e16, 2.5e-7).
 */
export function floatText(x) {
  if (!Number.isFinite(x)) throw new RangeError("Only finite numbers can be written.");
  const sign = x < 0 || Object.is(x, -0) ? "-" : "";
  if (x === 0) return `${sign}0.0`;
  const [mantissa, power] = Math.abs(x).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  if (exponent < -5 || exponent >= 16) return `${sign}${mantissa}e${exponent}`;
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/**
 * Write an enrolment.
 * @param {string} study digest of the study
 * @param {Array<number|string|null>} entries one per feature: a number, a category's value, or null for private
 */
export function enrolmentText(study, entries) {
  const written = entries.map((entry) => {
    if (entry === null) return "null";
    return typeof entry === "string" ? JSON.stringify(entry) : floatText(entry);
  });
  return `{"message":"enrolment","study":"${study}","public":[${written.join(",")}],"version":${VERSION}}`;
}

/**
 * Write a report.
 * @param {string} question digest of the question's bytes
 * @param {number[][]} answers whole numbers for each ask
 */
export function reportText(question, answers) {
  const written = answers.map((numbers) => `[${numbers.map(wholeText).join(",")}]`);
  return `{"message":"report","question":"${question}","answers":[${written.join(",")}],"version":${VERSION}}`;
}

function wholeText(number) {
  if (!Number.isSafeInteger(number)) throw new RangeError("Reports hold whole numbers within 2**53.");
  return String(number);
}
