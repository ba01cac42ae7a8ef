/**
 * What this browser remembers: every report it has drawn and what it cost, exactly; never a private value.
 *
 * Looking up, adding up, drawing and recording are one step under a lock of the browser, whatever number of tabs ask.
 */

import { Fraction, ZERO } from "./exact.js";
import { WireError } from "./problems.js";

const PREFIX = "semildp.report.";
const LOCK = "semildp.ledger";
/** A guess: time for the browser to show a new record to its other tabs before they may look. Tried with two tabs. */
const SETTLING = 50;

/** The browser cannot remember, so that nothing must be sent. */
export class StorageError extends Error {
  constructor() {
    super("This browser does not keep data for this page. Nothing was sent.");
    this.name = "StorageError";
  }
}

/** One person's reports in this browser. */
export class Ledger {
  /**
   * @param {Storage} storage localStorage
   * @param {LockManager} locks navigator.locks
   * @param {string} seat which of the people who share this browser
   */
  constructor(storage, locks, seat) {
    Object.assign(this, { storage, locks, seat });
  }

  /** Return what was drawn for a question, or null. */
  known(study, question, wave) {
    return this.#entries().find((e) => e.study === study.digest && e.question === question && e.wave === wave) ?? null;
  }

  /** Return all that this person has been asked in a study, in no order. */
  sent(study) {
    return this.#entries().filter((entry) => entry.study === study.digest);
  }

  /** Return what a study's questions have cost in all. Another version of the study under its name counts as well. */
  spent(study) {
    const of = this.#entries().filter((entry) => entry.study === study.digest || entry.name === study.name);
    return of.reduce((total, entry) => total.plus(Fraction.parse(entry.cost)), ZERO);
  }

  /**
   * Return the report to send: the one recorded, for nothing, or a new one if the study's epsilon allows it.
   * @param {object} study
   * @param {{question: object, digest: string, cost: Fraction}} judged
   * @param {() => string} draw
   */
  answer(study, judged, draw) {
    return this.locks.request(LOCK, async () => {
      const { wave } = judged.question;
      const known = this.known(study, judged.digest, wave);
      if (known) return known.report;
      if (this.spent(study).plus(judged.cost).above(Fraction.ofFloat(study.epsilon))) {
        throw new WireError("too-costly", "it costs more than what is left of the study's epsilon on this device");
      }
      const report = draw();
      const place = `${PREFIX}${this.seat}.${study.digest}.${wave}.${judged.digest}`;
      this.#record(place, {
        seat: this.seat,
        study: study.digest,
        name: study.name,
        wave,
        question: judged.digest,
        cost: judged.cost.toString(),
        report,
      });
      await new Promise((resolve) => setTimeout(resolve, SETTLING));
      return report;
    });
  }

  #record(place, entry) {
    const text = JSON.stringify(entry);
    try {
      this.storage.setItem(place, text);
    } catch {
      throw new StorageError();
    }
    if (this.storage.getItem(place) !== text) throw new StorageError();
  }

  #entries() {
    const places = Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i));
    return places
      .filter((place) => place.startsWith(`${PREFIX}${this.seat}.`))
      .map((place) => JSON.parse(this.storage.getItem(place)));
  }
}
