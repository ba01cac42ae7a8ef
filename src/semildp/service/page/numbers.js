/** Numbers as people write them. */

import { t } from "./texts.js";

/**
 * Read a number as people write it: 12, -3, 0.5, or 0,5. Returns {value}, or {error}.
 * A comma before exactly three digits could stand for thousands: then the person is asked.
 */
export function readNumber(text, example) {
  const plain = text.trim().replace("−", "-");
  if (/^[+-]?[0-9]+,[0-9]{3}$/.test(plain)) {
    return { error: t("answers.error.comma", { plain: plain.replace(",", ""), decimal: plain.replace(",", ".") }) };
  }
  if (!/^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)$/.test(plain)) return { error: t("answers.error.number", { example }) };
  return { value: Number(plain.replace(",", ".")) };
}
