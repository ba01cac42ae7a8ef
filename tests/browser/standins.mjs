/** What a browser has and node has not: a storage and locks, in memory. */

export class Memory {
  #items = new Map();

  get length() {
    return this.#items.size;
  }

  key(i) {
    return [...this.#items.keys()][i] ?? null;
  }

  getItem(name) {
    return this.#items.get(name) ?? null;
  }

  setItem(name, value) {
    this.#items.set(name, String(value));
  }

  removeItem(name) {
    this.#items.delete(name);
  }
}

/** One holder at a time. */
export class Locks {
  #last = Promise.resolve();

  request(_, work) {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
