/** The browser's ledger with questions of every kind of trouble; one JSON line per check: name, whether it holds. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Locks, Memory } from "./standins.mjs";

const page = process.env.SEMILDP_PAGE ?? resolve(import.meta.dirname, "../../src/semildp/service/page");
const load = (name) => import(pathToFileURL(resolve(page, "device", name)));
const { Fraction } = await load("exact.js");
const { Ledger, StorageError } = await load("ledger.js");
const { WireError } = await load("problems.js");

const study = { digest: "a".repeat(64), name: "sleep", epsilon: 1 };
const asked = (name, cost, wave = 1) => ({ question: { wave }, digest: name, cost: Fraction.ofFloat(cost) });
const told = (name, holds) => console.log(JSON.stringify({ name, holds }));
const refusedAs = (work) =>
  work.then(
    () => null,
    (error) => (error instanceof WireError ? error.problem : error.name),
  );

function fresh(seat = "one", storage = new Memory(), locks = new Locks()) {
  return { storage, locks, ledger: new Ledger(storage, locks, seat) };
}

{
  const { ledger, storage } = fresh();
  const first = await ledger.answer(study, asked("q1", 0.5), () => "report 1");
  const again = await ledger.answer(study, asked("q1", 0.5), () => "another");
  told("asked again, the same bytes come back", first === "report 1" && again === "report 1" && storage.length === 1);
  told("asked again, nothing is spent", ledger.spent(study).toString() === "1/2");
  told(
    "the same question in another wave is another one",
    (await ledger.answer(study, asked("q1", 0.5, 2), () => "report 2")) === "report 2",
  );
  told(
    "more than epsilon is refused",
    (await refusedAs(ledger.answer(study, asked("q2", 2 ** -1074), () => "x"))) === "too-costly",
  );
  told("what was refused is not recorded", storage.length === 2);
  told("what costs nothing is still answered", (await ledger.answer(study, asked("q3", 0), () => "free")) === "free");
}
{
  const { ledger } = fresh();
  for (let i = 0; i < 9; i += 1) await ledger.answer(study, asked(`q${i}`, 0.1), () => "r");
  told(
    "ten times the float 0.1 is a little more than 1",
    (await refusedAs(ledger.answer(study, asked("q9", 0.1), () => "r"))) === "too-costly",
  );
  told("costs are added exactly", ledger.spent(study).equals(Fraction.ofFloat(0.1).times(9)));
}
{
  const { ledger } = fresh();
  await ledger.answer(study, asked("q1", 0.75), () => "r");
  const renewed = { ...study, digest: "b".repeat(64) };
  told(
    "a new version under the same name has no new budget",
    (await refusedAs(ledger.answer(renewed, asked("q2", 0.5), () => "r"))) === "too-costly",
  );
  told(
    "another study has its own",
    (await ledger.answer({ ...renewed, name: "food" }, asked("q3", 1), () => "r")) === "r",
  );
}
{
  const { storage, locks, ledger } = fresh();
  const other = new Ledger(storage, locks, "one");
  let drawn = 0;
  const draw = () => `report ${(drawn += 1)}`;
  const both = await Promise.all([ledger.answer(study, asked("q", 1), draw), other.answer(study, asked("q", 1), draw)]);
  told("two tabs draw once", drawn === 1 && both[0] === both[1]);
  const third = new Ledger(storage, locks, "two");
  told("another person has their own report", (await third.answer(study, asked("q", 1), draw)) === "report 2");
}
{
  const { ledger, storage } = fresh();
  storage.setItem = () => {
    throw new Error("full");
  };
  told(
    "what cannot be remembered is not handed out",
    (await refusedAs(ledger.answer(study, asked("q", 1), () => "r"))) === new StorageError().name,
  );
  storage.setItem = () => {};
  told(
    "nor what was not kept",
    (await refusedAs(ledger.answer(study, asked("q", 1), () => "r"))) === new StorageError().name,
  );
}
{
  const { ledger, storage } = fresh();
  const failing = ledger.answer(study, asked("q", 1), () => {
    throw new RangeError("no words");
  });
  told("a draw that fails costs nothing", (await refusedAs(failing)) === "RangeError" && storage.length === 0);
  told("and the ledger goes on", (await ledger.answer(study, asked("q", 1), () => "r")) === "r");
}
