/** Visits that go well: what is shown is what is sent. */

import { writeFileSync } from "node:fs";
import { PRIVATE, check } from "./people.mjs";

const has = (text, what) => text.includes(what);

/** Refuse if something private, as typed, is in what was sent or stored; an age is also two digits of many tokens. */
function nothingPrivate(text, where) {
  for (const [name, value] of Object.entries(PRIVATE)) {
    if (name === "age") check(!/[^0-9A-Za-z_+/-]37(\.0)?[^0-9A-Za-z_+/-]/.test(text), `the age is in ${where}`);
    else check(!has(text, value), `${name} is in ${where}`);
  }
}

export async function oneVisit({ sit, got }) {
  const ada = await sit();
  await ada.at("How do we sleep?");
  await ada.look("about");
  await ada.press("Take part");
  await ada.at("Your answers");
  await ada.press("Show me what would be sent");
  await ada.page.getByText("6 of your answers need another look.").waitFor();
  check(
    (await ada.page.evaluate(() => document.activeElement.id)) === "feature-0",
    "the focus goes to the first question that is wrong",
  );
  await ada.look("answers-wrong");
  await ada.fill();
  await ada.look("answers");
  await ada.press("Show me what would be sent");
  await ada.at("What will be sent first");
  await ada.look("enrolment");
  await ada.press("Back");
  await ada.at("Your answers");
  check(
    (await ada.page.getByLabel("How old are you?").inputValue()) === PRIVATE.age,
    "going back keeps what was typed",
  );
  await ada.press("Show me what would be sent");
  await ada.at("What will be sent first");
  const enrolment = await ada.shown();
  check(!Object.keys((await got()).people).length, "nothing is sent before the button is pressed");
  check(
    JSON.stringify(JSON.parse(enrolment).public) === '[null,null,"south",2.5,null]',
    `the enrolment says ${enrolment}`,
  );
  await ada.press("Send this");
  await ada.at("The question for you");
  await ada.look("report");
  const report = await ada.shown();
  check(!Object.keys((await got()).reports).length, "no report is sent before the button is pressed");
  const [person] = Object.values((await got()).people);
  check(
    person.enrolment === enrolment && person.invitation === "invited-1",
    "the enrolment that was shown is the one that was sent",
  );
  await ada.press("Send this");
  await ada.at("Thank you");
  await ada.page.getByText("See again what was sent").click();
  await ada.look("thanks");
  const { reports, requests } = await got();
  check(
    Object.values(reports).length === 1 && Object.values(reports)[0] === report,
    "the report that was shown is the one that was sent",
  );
  nothingPrivate(JSON.stringify(requests), "what was sent");
  nothingPrivate(await ada.stored(), "what the browser keeps");
  await ada.open();
  await ada.at("Thank you");
  await ada.page.getByText("See again what was sent").click();
  check(
    (await ada.page.locator("pre").allTextContents()).join() === [enrolment, report].join(),
    "a second visit shows what was sent",
  );
  check((await got()).requests.filter(([method]) => method !== "GET").length === 2, "a second visit sends nothing");
  await ada.leave();
}

export async function enrolFirst({ sit, got, set }) {
  await set({ asking: false, collection: { visits: "enrol-first" } });
  const ada = await sit();
  await ada.toEnrolment();
  await ada.press("Send this");
  await ada.at("Now it takes some time");
  await ada.look("waiting");
  await ada.page.reload();
  await ada.at("Now it takes some time");
  await ada.press("Check now");
  await ada.page.getByText("There is no question for you yet.").waitFor();
  await set({ asking: true, question: "label and bins" });
  await ada.press("Check now");
  await ada.at("Your answers, once more");
  check(
    await ada.page
      .getByLabel("How much coffee do you drink on a usual day?")
      .evaluate((node) => node.readOnly && node.value === "2.5"),
    "what was public is fixed",
  );
  await ada.fillAgain();
  await ada.press("Continue");
  await ada.at("The question for you");
  await ada.look("report-bins");
  check(JSON.parse(await ada.shown()).answers[1].length === 3, "a bin for each of three private answers");
  await ada.press("Send this");
  await ada.at("Thank you");
  check(Object.values((await got()).reports).length === 1, "one report");
  await ada.leave();
}

/** While it waits, the page looks now and then; not oftener than the server asks for. */
export async function byItself({ sit, got, set }) {
  await set({ asking: false });
  const ada = await sit();
  await ada.toEnrolment();
  await ada.page.clock.install();
  await ada.press("Send this");
  await ada.at("Now it takes some time");
  const looks = async () => (await got()).requests.filter(([, path]) => path === "/api/question").length;
  const before = await looks();
  await ada.page.clock.runFor(29_000);
  check((await looks()) === before, "it does not look at once");
  await ada.page.clock.runFor(60_000);
  await ada.page.getByText("There is no question for you yet.").waitFor();
  check((await looks()) === before + 1, "it looks once in a minute and a half");
  await set({ asking: true });
  await ada.page.clock.runFor(90_000);
  await ada.at("The question for you");
  await ada.leave();
}

export async function everythingPrivate({ sit, set, got }) {
  await set({ scene: "hidden", question: "histogram", collection: { access: "open" } });
  const ada = await sit("");
  await ada.press("Take part");
  await ada.at("Your answers");
  check((await ada.page.locator(".switch input:not(:disabled)").count()) === 0, "no choice where masks are hidden");
  await ada.type("a", "0.5625");
  await ada.page.getByLabel("Prefer not to say").nth(1).check();
  await ada.type("Label", "7");
  await ada.page.getByText("It counts as 1, the largest value in this study.").waitFor();
  await ada.look("answers-hidden");
  await ada.press("Show me what would be sent");
  await ada.press("Send this");
  await ada.at("The question for you");
  await ada.look("report-histogram");
  check(JSON.parse(await ada.shown()).answers[0].length === 8, "two numbers for each of four cells");
  await ada.press("Send this");
  await ada.at("Thank you");
  await ada.press("Someone else wants to take part on this device");
  await ada.at("Two numbers");
  check(!has(JSON.stringify((await got()).requests), "0.5625"), "nothing private is sent");
  await ada.leave();
}

export async function somebodyElse({ sit, got }) {
  const ada = await sit();
  await ada.toEnrolment();
  await ada.press("Send this");
  await ada.at("The question for you");
  const first = await ada.shown();
  await ada.open("#invited-2");
  await ada.at("Is this somebody else?");
  await ada.look("another");
  await ada.press("No, that was me");
  await ada.at("The question for you");
  check((await ada.shown()) === first, "the same person has the same report");
  await ada.open("#invited-2");
  await ada.press("Yes, I am somebody else");
  await ada.at("How do we sleep?");
  await ada.toEnrolment({ coffee: "Private", age: "Private" });
  await ada.press("Send this");
  await ada.at("The question for you");
  check(Object.keys((await got()).people).length === 2, "two people");
  await ada.leave();
}

/** Against the real server, with an open study: from link to thanks, and back. */
export async function wholeWay({ sit }) {
  const ada = await sit(process.env.SEMILDP_LINK ?? "");
  await ada.at("How do we sleep?");
  await ada.toEnrolment();
  const enrolment = await ada.shown();
  await ada.press("Send this");
  await ada.at("The question for you");
  const report = await ada.shown();
  await ada.press("Send this");
  await ada.at("Thank you");
  await ada.open();
  await ada.at("Thank you");
  await ada.page.getByText("See again what was sent").click();
  check((await ada.page.locator("pre").nth(1).textContent()) === report, "a second visit shows what was sent");
  if (process.env.SEMILDP_SHOWN) writeFileSync(process.env.SEMILDP_SHOWN, JSON.stringify({ enrolment, report }));
  await ada.leave();
}
