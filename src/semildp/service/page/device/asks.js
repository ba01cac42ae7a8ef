/** One function per kind of (verified) ask: what a person's own values are in its terms, randomised. */

import { LabelGrid, binOf } from "./grids.js";
import { addNoise, randomise, readMechanism } from "./mechanisms.js";
import { Partition } from "./partition.js";
import { WireError } from "./problems.js";

/** Return the mechanism for so many candidates; a question without one cannot be answered. */
export function forSize(mechanisms, size) {
  const message = mechanisms.get(String(size));
  if (!message) throw new WireError("missing-field", `no mechanism for ${size} candidates`);
  return message;
}

const rising = (numbers) => numbers.sort((a, b) => a - b);

function label(ask, me, source) {
  const mechanism = readMechanism(ask.mechanism, ask.epsilon);
  const grid = new LabelGrid(ask.low, ask.high, mechanism.values - 1);
  const point = ask.rounding === "random" ? grid.atRandom(me.label, source.words(1)[0]) : grid.nearest(me.label);
  return randomise(mechanism, point, source);
}

function cell(ask, me, source) {
  const partition = new Partition(ask.partition, me.unit.length);
  const candidates = partition.candidates(me.unit, me.mask);
  const mechanism = readMechanism(forSize(ask.mechanisms, candidates.size), ask.epsilon);
  const truth = candidates.position(partition.cell(me.unit));
  return randomise(mechanism, truth, source).map((position) => candidates.pick(position));
}

/** Cell and level of the residual as one value, cell * levels + level. */
function pair(ask, me, source) {
  const partition = new Partition(ask.partition, me.unit.length);
  const candidates = partition.candidates(me.unit, me.mask);
  const mechanism = readMechanism(forSize(ask.mechanisms, candidates.size), ask.epsilon);
  const levels = mechanism.values / candidates.size;
  const own = partition.cell(me.unit);
  const residual = me.label - (me.centre + ask.centres[Math.floor(own / partition.codes)]);
  const level = new LabelGrid(-ask.reach, ask.reach, levels - 1).atRandom(residual, source.words(1)[0]);
  const marks = randomise(mechanism, candidates.position(own) * levels + level, source);
  return rising(marks.map((mark) => candidates.pick(Math.floor(mark / levels)) * levels + (mark % levels)));
}

/** Level of the residual, times the sign of the person's cell. */
function signed(ask, me, source) {
  const mechanism = readMechanism(ask.mechanism, ask.epsilon);
  const sign = ask.signs[new Partition(ask.partition, me.unit.length).cell(me.unit)];
  const grid = new LabelGrid(-ask.reach, ask.reach, mechanism.values - 1);
  return randomise(mechanism, grid.atRandom(sign * (me.label - me.centre), source.words(1)[0]), source);
}

/** Cell and class of the label as one value, cell * classes + class. */
function class_(ask, me, source) {
  const partition = new Partition(ask.partition, me.unit.length);
  const candidates = partition.candidates(me.unit, me.mask);
  const mechanism = readMechanism(forSize(ask.mechanisms, candidates.size), ask.epsilon);
  const classes = mechanism.values / candidates.size;
  const marks = randomise(mechanism, candidates.position(partition.cell(me.unit)) * classes + me.label, source);
  return rising(marks.map((mark) => candidates.pick(Math.floor(mark / classes)) * classes + (mark % classes)));
}

/** The bin of every feature the person hides, in the order of features. */
function bins(ask, me, source) {
  const hidden = ask.mechanisms.map((_, j) => j).filter((j) => me.mask[j]);
  return hidden.flatMap((j) => {
    const mechanism = readMechanism(ask.mechanisms[j], ask.epsilon);
    return randomise(mechanism, binOf(me.unit[j], mechanism.values), source);
  });
}

/** A noisy indicator and a noisy label for every cell; labels in steps from the middle, which other cells hold. */
function histogram(ask, me, source) {
  const partition = new Partition(ask.partition, me.unit.length);
  const steps = ask.label.values - 1;
  const own = partition.cell(me.unit);
  const mass = new Array(partition.cells).fill(0);
  const labels = new Array(partition.cells).fill(steps / 2);
  mass[own] = steps;
  labels[own] = new LabelGrid(ask.low, ask.high, steps).nearest(me.label);
  const noisyMass = addNoise(readMechanism(ask.mass, ask.epsilon / 4), mass, source);
  const noisyLabels = addNoise(readMechanism(ask.label, ask.epsilon / 2), labels, source);
  return [...noisyMass, ...noisyLabels.map((number) => number - steps / 2)];
}

const ANSWER = { label, cell, pair, signed, class: class_, bins, histogram };

/**
 * Answer every ask of a verified question.
 * @param {object} question
 * @param {{unit: number[], label: number, mask: boolean[]}} person from `ready`
 */
export function answers(question, person, source) {
  const me = { ...person, centre: question.centre };
  return question.asks.map((ask) => ANSWER[ask.ask](ask, me, source));
}
