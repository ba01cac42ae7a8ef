/** One person's visit: conducts the steps from the study to thanks, and continues where this device stopped. */

import { showAbout } from "./about.js";
import { showThanks, showWaiting } from "./afterwards.js";
import { askAnswers } from "./answers.js";
import { Device } from "./device/device.js";
import { Fraction } from "./device/exact.js";
import { Ledger } from "./device/ledger.js";
import { publicUnit } from "./device/rows.js";
import { SystemSource } from "./device/source.js";
import { announce, notice } from "./dom.js";
import { explain } from "./explain.js";
import { showEnrolment, showReport } from "./sending.js";
import * as server from "./server.js";
import { t } from "./texts.js";
import { sentence, showRefused, showTrouble } from "./trouble.js";

/** One person's way through the page. */
export class Visit {
  /**
   * @param {{study: object, collection: object}} about
   * @param {Seats} seats
   * @param {object} seat who it is
   * @param {string} invitation "" if there is none
   * @param {() => void} another begins the visit of somebody else
   */
  constructor(about, seats, seat, invitation, another) {
    Object.assign(this, { about, seats, seat, invitation, another });
    this.ledger = new Ledger(localStorage, navigator.locks, seat.id);
    this.device = null; // holds the person's own values, in memory only
  }

  /** What was made public, entry by entry. */
  get entries() {
    return JSON.parse(this.seat.enrolment).public;
  }

  get enrolled() {
    return { entries: this.entries, text: this.seat.enrolment };
  }

  /** Continue where this device stopped. */
  resume() {
    if (this.seat.enrolled) return this.look();
    if (this.about.collection.access === "invitation" && !this.invitation) return this.about_();
    return this.offer(true);
  }

  about_() {
    showAbout(this.about, this.invitation, () => this.ask());
  }

  /** Ask for the answers; on the way back the same form is shown, with what was typed. */
  ask() {
    this.showForm ??= askAnswers(
      this.about,
      null,
      (given) => {
        this.device = this.deviceOf(given);
        this.seat.enrolment = this.device.enrol();
        this.offer(false);
      },
      () => this.about_(),
    );
    this.showForm();
  }

  deviceOf({ values, label, hidden }) {
    return new Device(this.about.study, values, label, hidden, new SystemSource());
  }

  /** Show the enrolment, and send it when the person says so. It is remembered first: a reload sends the same. */
  offer(again) {
    const how = { again, invited: Boolean(this.invitation) };
    const send = async () => {
      this.seats.keep(this.seat);
      await server.enrol(this.invitation, this.seat.token, this.seat.enrolment);
      this.seat.enrolled = true;
      this.seats.keep(this.seat);
      if (this.about.collection.visits === "enrol-first") navigator.storage?.persist?.(); // until the person comes back
      announce(t("enrolment.sent"));
      await this.look();
    };
    showEnrolment(this.about, this.entries, this.seat.enrolment, how, send, again ? null : () => this.ask());
  }

  /** Ask the server for a question. */
  async look() {
    announce(t("report.checking"));
    try {
      await this.found(await server.question(this.seat.token));
    } catch (error) {
      if (error instanceof server.Refusal && error.problem === "study-closed")
        return this.thanks(t("problem.study-closed"));
      showTrouble("sending", error, error instanceof server.Unreachable ? () => this.look() : null);
    }
  }

  async found(answer) {
    if (answer.question) return this.consider(answer.question);
    if (answer.state === "waiting") {
      const next = (other) => this.found(other);
      return showWaiting(this.about, this.enrolled, answer.wait, () => server.question(this.seat.token), next);
    }
    const last = Math.max(0, ...this.ledger.sent(this.about.study).map((entry) => entry.wave));
    if (last) this.delivered(last); // it arrived, though the page was closed before it heard of that
    return this.thanks(t(answer.state === "answered" ? "thanks.lead" : "thanks.nothing"));
  }

  delivered(wave) {
    this.seat.delivered = [...new Set([...this.seat.delivered, wave])];
    this.seats.keep(this.seat);
  }

  /** Judge a question by what is public alone; only then ask for private values, if they are not here any more. */
  async consider(bytes) {
    const { study } = this.about;
    const hidden = study.features.filter((_, j) => this.entries[j] === null).map((feature) => feature.name);
    let judged;
    try {
      judged = await this.deviceOf({ values: this.entries, label: null, hidden }).judge(bytes);
    } catch (error) {
      return showRefused(error, this.about.collection.contact);
    }
    const known = this.ledger.known(study, judged.digest, judged.question.wave);
    if (known) return this.preview(judged, known.report, true);
    if (this.device) return this.draw(judged, bytes);
    askAnswers(
      this.about,
      this.entries,
      async ({ values, label }) => {
        this.device = this.deviceOf({ values, label, hidden });
        await this.draw(judged, bytes);
      },
      null,
    )();
  }

  async draw(judged, bytes) {
    let text;
    try {
      text = await this.device.answer(bytes, this.ledger);
    } catch (error) {
      if (error.name === "StorageError") return showTrouble("sending", error, () => this.draw(judged, bytes));
      return showRefused(error, this.about.collection.contact);
    }
    this.preview(judged, text, false);
  }

  preview(judged, text, again) {
    const { study } = this.about;
    const mask = this.entries.map((entry) => entry === null);
    const asks = explain(this.about, judged.question, publicUnit(study, this.entries, mask), mask);
    const spent = this.ledger.spent(study);
    const left = Fraction.ofFloat(study.epsilon).plus(spent.times(-1)).toNumber();
    const { wave } = judged.question;
    showReport(this.about, asks, { text, cost: judged.cost, left, again }, async () => {
      try {
        await server.report(this.seat.token, wave, text);
      } catch (error) {
        if (!(error instanceof server.Refusal) || error.status === 422) throw error;
        if (error.problem === "wave-over") return this.over(error);
        if (["already-answered", "study-closed"].includes(error.problem)) return this.thanks(sentence(error));
        throw error;
      }
      this.delivered(wave);
      this.device = study.participation === "both" ? this.device : null; // not needed any more: forget it
      this.thanks(t("thanks.lead"));
    });
  }

  /** The answer came too late; there may be another question. */
  async over(error) {
    await this.look();
    document.getElementById("stage").append(notice(sentence(error), "stop"));
  }

  thanks(text) {
    const { study, collection } = this.about;
    const reports = this.ledger.sent(study).filter((entry) => this.seat.delivered.includes(entry.wave));
    const another = collection.access === "open" && collection.status !== "closed" ? this.another : null;
    showThanks(this.about, this.enrolled, { reports, spent: this.ledger.spent(study), text }, another);
  }
}
