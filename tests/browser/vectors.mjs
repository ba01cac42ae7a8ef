/** Runs the browser's device over the test vectors; writes one JSON line per vector: file, index, name, what is wrong. */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { Locks, Memory } from "./standins.mjs";

const here = import.meta.dirname;
const page = process.env.SEMILDP_PAGE ?? resolve(here, "../../src/semildp/service/page");
const load = (name) => import(pathToFileURL(resolve(page, "device", name)));
const { Device } = await load("device.js");
const { Ledger } = await load("ledger.js");
const { digest, utf8 } = await load("digest.js");
const { readStudy } = await load("study.js");
const { readQuestion } = await load("messages.js");
const { ListedSource, SystemSource } = await load("source.js");
const { WireError } = await load("problems.js");

const read = (name) => JSON.parse(readFileSync(resolve(here, "../vectors", `${name}.json`), "ascii"));

function bytesOf(entry) {
  const bytes = "hex" in entry ? Uint8Array.from(Buffer.from(entry.hex, "hex")) : utf8(entry.text);
  const out = new Uint8Array(bytes.length + (entry.spaces ?? 0)).fill(32);
  out.set(bytes);
  return out;
}

const studies = new Map();

async function study({ name, text }) {
  const one = await readStudy(utf8(text));
  studies.set(name, one);
  return one.digest === (await digest(utf8(text))) && one.name === name ? null : "another digest or name";
}

function deviceOf(entry, source) {
  const { values, label, hidden } = entry.person;
  return new Device(studies.get(entry.study), values, label, hidden, source);
}

async function question(entry) {
  const storage = new Memory();
  const ledger = new Ledger(storage, new Locks(), "one");
  let problem = null;
  try {
    await deviceOf(entry, new SystemSource()).answer(bytesOf(entry), ledger);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    problem = error.problem;
  }
  if (problem !== (entry.problem ?? null)) return `judged as ${problem}, not ${entry.problem ?? null}`;
  if (problem && storage.length) return "something was recorded for a question that was refused";
  return "valid" in entry ? held(entry) : null;
}

/** Whether the question was read as the vector says. */
function held(entry) {
  const plain = (_, value) => (value instanceof Map ? Object.fromEntries(value) : value);
  const sorted = (value) => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, sorted(value[key])]),
    );
  };
  const got = JSON.stringify(sorted(JSON.parse(JSON.stringify(readQuestion(bytesOf(entry)), plain))));
  return got === JSON.stringify(sorted(entry.valid)) ? null : `read as ${got}`;
}

async function answer(entry) {
  const source = new ListedSource(entry.words);
  const device = deviceOf(entry, source);
  const report = device.draw(await device.judge(utf8(entry.question)));
  if (report !== entry.report) return `sent ${report}, not ${entry.report}`;
  return source.left.length ? `${source.left.length} words were not drawn` : null;
}

const kinds = { studies: study, questions: question, answers: answer };
for (const [file, judge] of Object.entries(kinds)) {
  for (const [index, entry] of read(file).entries()) {
    let wrong;
    try {
      wrong = await judge(entry);
    } catch (error) {
      wrong = String(error.stack);
    }
    console.log(JSON.stringify({ file, index, name: entry.name, wrong }));
  }
}
