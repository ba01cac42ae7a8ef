/** A partition: a histogram on some features times a tree on others; and the cells a person could be in. */

import { binOf } from "./grids.js";
import { WireError } from "./problems.js";
import { Tree } from "./tree.js";

const MAX_CELLS = 2 ** 20;

/** A cell is leaf * codes + code, where code reads the bins as digits, the first feature most significant. */
export class Partition {
  /**
   * @param {{features: number[], bins: number[], tree: object}} message
   * @param {number} nFeatures of the study
   */
  constructor({ features, bins, tree }, nFeatures) {
    const refuse = (why) => new WireError("out-of-domain", why);
    this.tree = new Tree(tree, nFeatures);
    if (features.some((f) => f >= nFeatures)) throw refuse("a histogram feature must be one of the study's");
    if (new Set(features).size !== features.length) throw refuse("histogram features must be distinct");
    if (features.some((f) => tree.feature.includes(f)))
      throw refuse("a feature may be in the histogram or in the tree, not in both");
    if (bins.length !== features.length) throw refuse("there must be a number of bins per histogram feature");
    if (bins.some((b) => b > MAX_CELLS)) throw refuse(`bins must be at most ${MAX_CELLS}`);
    Object.assign(this, { features, bins });
    this.codes = 1;
    for (const b of bins) {
      this.codes *= b;
      if (this.codes > MAX_CELLS) throw refuse(`a partition must have at most ${MAX_CELLS} cells`);
    }
    this.cells = this.codes * this.tree.leaves;
    if (this.cells > MAX_CELLS) throw refuse(`a partition must have at most ${MAX_CELLS} cells`);
  }

  /** Return the cell of scaled features; all are needed. */
  cell(unit) {
    const code = this.features.reduce((sum, f, j) => sum * this.bins[j] + binOf(unit[f], this.bins[j]), 0);
    return this.tree.leaf(unit) * this.codes + code;
  }

  /** Return the cells a person could be in, judged only from what is public. */
  candidates(unit, mask) {
    const unknown = this.features.map((f) => mask[f]);
    const known = this.features.map((f, j) => (mask[f] ? 0 : binOf(unit[f], this.bins[j])));
    return new Candidates(this, this.tree.possible(unit, mask), known, unknown);
  }
}

/** A set of cells that is a product: some leaves times some bins. Cells are numbered in rising order. */
class Candidates {
  constructor(partition, leaves, known, unknown) {
    Object.assign(this, { partition, leaves, known, unknown });
    this.box = partition.bins.reduce((product, b, j) => product * (unknown[j] ? b : 1), 1);
  }

  get size() {
    return this.leaves.length * this.box;
  }

  /** Return the cell at a position in the set. */
  pick(position) {
    const { bins, codes } = this.partition;
    let inBox = position % this.box;
    let code = 0;
    let place = 1;
    for (let j = bins.length - 1; j >= 0; j -= 1) {
      code += (this.unknown[j] ? inBox % bins[j] : this.known[j]) * place;
      if (this.unknown[j]) inBox = Math.floor(inBox / bins[j]);
      place *= bins[j];
    }
    return this.leaves[Math.floor(position / this.box)] * codes + code;
  }

  /** Return the position of a cell that is in the set. */
  position(cell) {
    const { bins, codes } = this.partition;
    const leaf = Math.floor(cell / codes);
    let place = codes;
    let inBox = 0;
    bins.forEach((b, j) => {
      place /= b;
      if (this.unknown[j]) inBox = inBox * b + (Math.floor(cell / place) % b);
    });
    return this.leaves.filter((l) => l < leaf).length * this.box + inBox;
  }
}
