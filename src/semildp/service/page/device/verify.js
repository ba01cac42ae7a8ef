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
  for (const ask of question.asks) {
    fitsLabel(ask, study.label?.kind);
    CHECK[ask.ask](ask, study.features.length, study);
  }
  if (costAtMost(question, nHidden).above(Fraction.ofFloat(study.epsilon))) {
    throw new WireError("too-costly", `it costs more than the study's epsilon ${study.epsilon}`);
  }
}

/** Refuse a question that has no mechanism for as many candidates as this person has. */
export function verifyFor(question, unit, mask) {
  for (const ask of question.asks) {
    if (!["cell", "pair", "class"].includes(ask.ask)) continue;
    forSize(ask.mechanisms, new Partition(ask.partition, mask.length).candidates(unit, mask).size);
  }
}

/** Refuse an ask for a class where the label is a number, and one for a number where it is not. */
function fitsLabel({ ask }, kind) {
  if (ask === "class" && kind !== "classes")
    throw new WireError("out-of-domain", "a class is asked for, and the study's label has no classes");
  if (["label", "pair", "signed", "histogram"].includes(ask) && kind !== "number")
    throw new WireError("out-of-domain", "a number is asked for, and the study's label is none");
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
  class(ask, nFeatures, study) {
    new Partition(ask.partition, nFeatures);
    const classes = study.label.values.length;
    for (const [size, mechanism] of ask.mechanisms) checkClass(mechanism, ask.epsilon, Number(size), classes);
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

/** A pair (candidate, class) is one value of candidates * classes. */
function checkClass(mechanism, epsilon, candidates, classes) {
  const { kind, values } = mechanism;
  if (values !== candidates * classes || !["generalised", "subset"].includes(kind)) {
    const given = `${kind} with ${values} values for ${candidates} candidates and ${classes} classes`;
    throw new WireError("out-of-domain", given);
  }
  readMechanism(mechanism, epsilon);
  if (candidates > 2 ** 30) throw new WireError("out-of-domain", `${candidates} candidates`);
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
