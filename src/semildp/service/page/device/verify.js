/** Whether a question can be trusted: it is of this study, its mechanisms keep their epsilon, and its parts fit. */

import { forSize } from "./asks.js";
import { costAtMost } from "./costs.js";
import { Fraction } from "./exact.js";
import { LARGEST, LabelGrid } from "./grids.js";
import { readMechanism } from "./mechanisms.js";
import { Partition } from "./partition.js";
import { WireError } from "./problems.js";

/** Refuse a question that somebody who hides so many features must not answer, whatever their values are. */
export function verify(study, question, nHidden) {
  if (question.study !== study.digest) throw new WireError("wrong-study");
  if (!question.asks.length) throw new WireError("wrong-count", "a question asks at least one thing");
  moderate(question.centre);
  if (study.label === null && !question.asks.every(({ ask }) => ask === "cell" || ask === "bins"))
    throw new WireError("out-of-domain", "the study has no label");
  for (const ask of question.asks) CHECK[ask.ask](ask, study.features.length);
  if (costAtMost(question, nHidden).above(Fraction.ofFloat(study.epsilon))) {
    throw new WireError("too-costly", `it costs more than the study's epsilon ${study.epsilon}`);
  }
}

/** Refuse a question that has no mechanism for as many candidates as this person has. */
export function verifyFor(question, unit, mask) {
  for (const ask of question.asks) {
    if (ask.ask !== "cell" && ask.ask !== "pair") continue;
    forSize(ask.mechanisms, new Partition(ask.partition, mask.length).candidates(unit, mask).size);
  }
}

const CHECK = {
  label(ask) {
    oneKind([ask.mechanism], "laplace", "window");
    new LabelGrid(ask.low, ask.high, readMechanism(ask.mechanism, ask.epsilon).values - 1);
  },
  cell(ask, nFeatures) {
    new Partition(ask.partition, nFeatures);
    oneKind([...ask.mechanisms.values()], "generalised", "binary");
    for (const [size, mechanism] of ask.mechanisms) {
      if (mechanism.values !== Number(size))
        throw new WireError("out-of-domain", `a mechanism with ${mechanism.values} values for ${size} candidates`);
      readMechanism(mechanism, ask.epsilon);
    }
  },
  pair(ask, nFeatures) {
    const { leaves } = new Partition(ask.partition, nFeatures).tree;
    if (ask.centres.length !== leaves)
      throw new WireError("wrong-count", `a centre per leaf, ${leaves}; got ${ask.centres.length}`);
    moderate(...ask.centres);
    new LabelGrid(-ask.reach, ask.reach, 1);
    for (const [size, mechanism] of ask.mechanisms) checkPair(mechanism, ask.epsilon, Number(size));
  },
  signed(ask, nFeatures) {
    const partition = new Partition(ask.partition, nFeatures);
    if (partition.tree.leaves > 1) throw new WireError("out-of-domain", "signs are of a partition with one leaf");
    if (ask.signs.length !== partition.cells)
      throw new WireError("wrong-count", `a sign per cell, ${partition.cells}; got ${ask.signs.length}`);
    oneKind([ask.mechanism], "generalised");
    checkPair(ask.mechanism, ask.epsilon, 1);
    new LabelGrid(-ask.reach, ask.reach, ask.mechanism.values - 1);
  },
  bins(ask, nFeatures) {
    if (ask.mechanisms.length !== nFeatures)
      throw new WireError("wrong-count", `a mechanism per feature, ${nFeatures}; got ${ask.mechanisms.length}`);
    oneKind(ask.mechanisms, "generalised");
    for (const mechanism of ask.mechanisms) readMechanism(mechanism, ask.epsilon);
  },
  histogram(ask, nFeatures) {
    new Partition(ask.partition, nFeatures);
    oneKind([ask.mass, ask.label], "laplace");
    const steps = readMechanism(ask.mass, ask.epsilon / 4).values - 1;
    const same = readMechanism(ask.label, ask.epsilon / 2).values - 1 === steps;
    if (!same || steps % 2)
      throw new WireError("out-of-domain", "a histogram has noise on one grid, with an even number of steps");
    new LabelGrid(ask.low, ask.high, steps);
  },
};

/** A pair (candidate, level) is one value of candidates * levels, with two levels or more; of "paired", exactly two. */
function checkPair(mechanism, epsilon, candidates) {
  const levels = mechanism.values / candidates;
  const kinds = ["generalised", "subset", "paired"];
  if (!Number.isInteger(levels) || !kinds.includes(mechanism.kind)) {
    throw new WireError(
      "out-of-domain",
      `${mechanism.kind} with ${mechanism.values} values for ${candidates} candidates`,
    );
  }
  readMechanism(mechanism, epsilon);
  if (candidates > 2 ** 30 || levels < 2 || (mechanism.kind === "paired" && levels > 2)) {
    throw new WireError("out-of-domain", `${levels} levels for ${candidates} candidates`);
  }
}

function oneKind(mechanisms, ...allowed) {
  const kinds = new Set(mechanisms.map((mechanism) => mechanism.kind));
  if (kinds.size !== 1 || !allowed.includes([...kinds][0])) {
    throw new WireError(
      "out-of-domain",
      `one kind of mechanism among ${allowed.join(", ")}; got ${[...kinds].join(", ")}`,
    );
  }
}

function moderate(...centres) {
  if (!centres.every((centre) => Math.abs(centre) <= LARGEST))
    throw new WireError("out-of-domain", `a centre is at most ${LARGEST} in size`);
}
