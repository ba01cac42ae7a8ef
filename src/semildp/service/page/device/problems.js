/** Everything that can be wrong with a message, by name: the closed list of every reader of the format. */

export const PROBLEMS = Object.freeze({
  "not-json": "the bytes are not one JSON text in UTF-8",
  "duplicate-field": "a field is named twice",
  "not-finite": "a number is NaN, infinite or too large for 64-bit floating point",
  "too-large": "the message is longer than any honest one",
  "wrong-message": "it is another kind of message",
  "wrong-version": "it is of a version that is not known here",
  "unknown-field": "it has a field that is not known",
  "missing-field": "a field is missing",
  "wrong-type": "a field holds something of another type",
  "out-of-domain": "a value lies outside its public domain",
  "wrong-study": "it belongs to another study",
  "wrong-question": "it answers another question",
  "broken-claim": "the thresholds do not keep the stated epsilon",
  "too-costly": "it costs more than the study allows",
  "wrong-count": "it has too many or too few answers or marks",
  "not-a-candidate": "it marks a cell the person cannot be in",
  "repeated-mark": "it marks something twice, or not in rising order",
});

/** A message that is refused; `problem` is one of PROBLEMS. */
export class WireError extends Error {
  constructor(problem, detail = "") {
    if (!(problem in PROBLEMS)) throw new RangeError(`There is no problem of the name ${problem}.`);
    super(`The message is refused (${problem}): ${detail || PROBLEMS[problem]}.`);
    this.name = "WireError";
    this.problem = problem;
    this.detail = detail || PROBLEMS[problem];
  }
}

/** Input of the person, or a study, that cannot be used; the sentence says what was required. */
export class InputError extends Error {
  constructor(sentence) {
    super(sentence);
    this.name = "InputError";
  }
}
