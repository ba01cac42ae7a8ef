/** The tree of a partition: x goes left iff x[feature] < threshold, on features scaled to [0, 1]. */

import { WireError } from "./problems.js";

const LEAF = -1;

function refuse(why) {
  return new WireError("out-of-domain", why);
}

/** A binary tree in arrays: split feature (-1 for a leaf), threshold and left child of each node; right is next. */
export class Tree {
  constructor({ feature, threshold, child }, nFeatures) {
    const n = feature.length;
    for (const f of feature)
      if (f < LEAF || f >= nFeatures) throw refuse(`a tree splits features 0 to ${nFeatures - 1}; got ${f}`);
    for (const c of child) if (c > n) throw refuse("a child of a tree must be one of its nodes");
    if (!n || threshold.length !== n || child.length !== n)
      throw refuse("a tree needs three arrays, one entry per node");
    Object.assign(this, { feature, threshold, child });
    this.leafNumber = this.#numberLeaves();
    this.#checkBoxes(nFeatures);
  }

  get leaves() {
    return (this.feature.length + 1) / 2;
  }

  /** Number the leaves from left to right; refuse arrays that are not one tree. */
  #numberLeaves() {
    const numbers = new Map();
    const stack = [0];
    let seen = 0;
    while (stack.length && seen <= this.feature.length) {
      const node = stack.pop();
      seen += 1;
      const left = this.child[node];
      if (this.feature[node] === LEAF) numbers.set(node, numbers.size);
      else if (node < left && left < this.feature.length - 1) stack.push(left + 1, left);
      else throw refuse(`node ${node} of a tree must have its children after it`);
    }
    if (seen !== this.feature.length) throw refuse("every node of a tree must be reached once from its root");
    return numbers;
  }

  /** Refuse a split outside its node's box, which would make an empty cell, and a leaf that carries a split. */
  #checkBoxes(nFeatures) {
    const stack = [[0, new Array(nFeatures).fill([0, 1])]];
    while (stack.length) {
      const [node, box] = stack.pop();
      const [feature, threshold, left] = [this.feature[node], this.threshold[node], this.child[node]];
      if (feature === LEAF) {
        if (threshold !== 0 || left !== 0) throw refuse(`leaf ${node} must have threshold 0 and child 0`);
        continue;
      }
      const [low, high] = box[feature];
      if (!(low < threshold && threshold <= high)) throw refuse(`node ${node} of a tree must split inside its box`);
      stack.push([left, box.with(feature, [low, threshold])], [left + 1, box.with(feature, [threshold, high])]);
    }
  }

  /** Return the leaf that scaled features fall in. */
  leaf(unit) {
    let node = 0;
    while (this.feature[node] !== LEAF)
      node = this.child[node] + (unit[this.feature[node]] >= this.threshold[node] ? 1 : 0);
    return this.leafNumber.get(node);
  }

  /** Return the leaves a person could be in, in rising order; features under the mask are not read. */
  possible(unit, mask) {
    const found = [];
    const stack = [0];
    while (stack.length) {
      const node = stack.pop();
      const feature = this.feature[node];
      const left = this.child[node];
      if (feature === LEAF) found.push(this.leafNumber.get(node));
      else if (mask[feature]) stack.push(left + 1, left);
      else stack.push(left + (unit[feature] >= this.threshold[node] ? 1 : 0));
    }
    return found;
  }
}
