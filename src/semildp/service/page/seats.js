/**
 * Who takes part on this device: for each person a random number that names them to the server, and what they have
 * made public. No private value is kept.
 */

import { digest, utf8 } from "./device/digest.js";
import { StorageError } from "./device/ledger.js";

const PREFIX = "semildp.seat.";

/** 32 random bytes in base64url: 43 characters. */
function randomToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The people of one study on this device. */
export class Seats {
  constructor(storage, study) {
    Object.assign(this, { storage, study });
  }

  /** Return all of them, in the order in which they came. */
  all() {
    const names = Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i));
    return names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => JSON.parse(this.storage.getItem(name)))
      .filter((seat) => seat.study === this.study.digest)
      .sort((a, b) => a.order - b.order);
  }

  /** Return who came with an invitation; without one, whoever was last here. */
  async find(invitation) {
    const seats = this.all();
    if (!invitation) return seats.at(-1) ?? null;
    const name = await digest(utf8(invitation));
    return seats.find((seat) => seat.invitation === name) ?? null;
  }

  /** Begin a new one; it is not stored before the person has decided to send something. */
  async begin(invitation) {
    const order = 1 + Math.max(0, ...this.all().map((seat) => seat.order));
    const token = randomToken();
    const id = (await digest(utf8(token))).slice(0, 16);
    const name = invitation ? await digest(utf8(invitation)) : "";
    return {
      id,
      order,
      token,
      study: this.study.digest,
      invitation: name,
      enrolment: "",
      enrolled: false,
      delivered: [],
    };
  }

  /** Remember one; without this nothing may be sent. */
  keep(seat) {
    const text = JSON.stringify(seat);
    try {
      this.storage.setItem(PREFIX + seat.id, text);
    } catch {
      throw new StorageError();
    }
    if (this.storage.getItem(PREFIX + seat.id) !== text) throw new StorageError();
  }
}
