/** One person's device: bytes of questions in, bytes of reports out. The only code that sees a person's own values. */

import { answers } from "./asks.js";
import { enrolmentText, reportText } from "./canonical.js";
import { ownCost } from "./costs.js";
import { digest } from "./digest.js";
import { readQuestion } from "./messages.js";
import { InputError } from "./problems.js";
import { actingMask, publicEntries, publicUnit, ready } from "./rows.js";
import { verify, verifyFor } from "./verify.js";

/** Answers the questions of one study for one person. */
export class Device {
  #values;
  #label;
  #hidden;
  #source;

  /**
   * @param {object} study from `readStudy`
   * @param {Array<number|string|null>} values one per feature, in the study's order; null is missing
   * @param {number|string|null} label a number, or one of the classes; null is missing
   * @param {Iterable<string>} hidden names of the features the person keeps private
   * @param {{words: Function}} source randomness
   */
  constructor(study, values, label, hidden, source) {
    this.study = study;
    this.#values = [...values];
    this.#label = label;
    this.#hidden = new Set(hidden);
    this.#source = source;
    if (this.#values.length !== study.features.length)
      throw new InputError(`There must be a value per feature, ${study.features.length}.`);
    this.mask = actingMask(study, this.#hidden);
  }

  /** Return the enrolment, as text: what the person makes public. */
  enrol() {
    return enrolmentText(this.study.digest, publicEntries(this.study, this.#values, this.mask));
  }

  /**
   * Read and check a question without answering it; refuse it by the name of the problem.
   * @param {Uint8Array} bytes
   * @returns {Promise<{question: object, digest: string, cost: Fraction}>}
   */
  async judge(bytes) {
    const question = readQuestion(bytes);
    verify(this.study, question, this.mask.filter(Boolean).length);
    const unit = publicUnit(this.study, this.#values, this.mask);
    verifyFor(question, unit, this.mask);
    return { question, digest: await digest(bytes), cost: ownCost(question, unit, this.mask) };
  }

  /** Draw the report, as text, to a question that was judged. Twice is spending twice: see the ledger. */
  draw({ question, digest: name }) {
    const person = ready(this.study, this.#values, this.#label, this.#hidden, this.#source);
    return reportText(name, answers(question, person, this.#source));
  }

  /**
   * Return the report to send: the one drawn before, or a new one that the ledger has recorded.
   * @param {Uint8Array} bytes
   * @param {Ledger} ledger
   */
  async answer(bytes, ledger) {
    const judged = await this.judge(bytes);
    return ledger.answer(this.study, judged, () => this.draw(judged));
  }
}
