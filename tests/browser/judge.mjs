/**
 * Answers requests, one JSON object per line of standard input, by the browser's device; one JSON line each comes out.
 *
 * {"do": "float", "x"}                              how a number is written
 * {"do": "enrol", "study", "person"}                the enrolment's bytes
 * {"do": "judge", "study", "person", "hex"}         null, or the problem of a question
 * {"do": "own", "mechanism", "epsilon"}             null, or the problem of a mechanism
 * {"do": "cost", "study", "person", "hex"}          the exact cost of a question
 * {"do": "answer", "study", "person", "question", "words"}  the report drawn from these words
 * {"do": "exp", "top", "bottom"}                    bounds of exp(top / bottom), in units of 2**-400, in hexadecimal
 * {"do": "many", "study", "person", "question", "n"}  n reports' answers to the first ask, counted: {marks: how often}
 */

import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const page = process.env.SEMILDP_PAGE ?? resolve(import.meta.dirname, "../../src/semildp/service/page");
const load = (name) => import(pathToFileURL(resolve(page, "device", name)));
const { floatText } = await load("canonical.js");
const { Device } = await load("device.js");
const { utf8 } = await load("digest.js");
const { readMechanism } = await load("mechanisms.js");
const { InputError, WireError } = await load("problems.js");
const { ListedSource, SystemSource } = await load("source.js");
const { Fraction } = await load("exact.js");
const { exponential } = await load("exponential.js");
const { readStudy } = await load("study.js");

const studies = new Map();

async function deviceOf({ study, person }, source = new SystemSource()) {
  if (!studies.has(study)) studies.set(study, await readStudy(utf8(study)));
  return new Device(studies.get(study), person.values, person.label, person.hidden, source);
}

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));

const DO = {
  float: ({ x }) => floatText(x),
  enrol: async (request) => (await deviceOf(request)).enrol(),
  judge: async (request) => void (await (await deviceOf(request)).judge(bytes(request.hex))) ?? null,
  own: ({ mechanism, epsilon }) => void readMechanism(mechanism, epsilon) ?? null,
  cost: async (request) => (await (await deviceOf(request)).judge(bytes(request.hex))).cost.toString(),
  answer: async (request) => {
    const source = new ListedSource(request.words);
    const device = await deviceOf(request, source);
    const report = device.draw(await device.judge(utf8(request.question)));
    return source.left.length ? "words were left" : report;
  },
  exp: ({ top, bottom }) => exponential(new Fraction(BigInt(top), BigInt(bottom))).map((end) => end.toString(16)),
  many: async (request) => {
    const device = await deviceOf(request);
    const judged = await device.judge(utf8(request.question));
    const counts = {};
    for (let i = 0; i < request.n; i += 1) {
      const marks = JSON.stringify(JSON.parse(device.draw(judged)).answers[0]);
      counts[marks] = (counts[marks] ?? 0) + 1;
    }
    return counts;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let out;
  try {
    out = await DO[request.do](request);
  } catch (error) {
    if (error instanceof WireError) out = error.problem;
    else if (error instanceof InputError) out = `InputError: ${error.message}`;
    else throw error;
  }
  console.log(JSON.stringify(out ?? null));
}
