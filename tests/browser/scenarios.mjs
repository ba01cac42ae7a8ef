/** What must hold of the page, as stories: each begins with a server and a browser that know nothing. */

import { PRIVATE, Person, check } from "./people.mjs";

const has = (text, what) => text.includes(what);

/** Refuse if something private, as typed, is in what was sent or stored. */
function nothingPrivate(text, where) {
  for (const [name, value] of Object.entries(PRIVATE)) {
    if (name === "age") check(!/[^0-9a-f]37(\.0)?[^0-9a-f]/.test(text), `the age is in ${where}`);
    else check(!has(text, value), `${name} is in ${where}`);
  }
}

async function oneVisit({ sit, got }) {
  const ada = await sit();
  await ada.at("How do we sleep?");
  await ada.look("about");
  await ada.press("Take part");
  await ada.at("Your answers");
  await ada.press("Show me what would be sent");
  await ada.page.getByText("6 of your answers need another look.").waitFor();
  check((await ada.page.evaluate(() => document.activeElement.id)) === "feature-0", "the focus goes to the first question that is wrong");
  await ada.look("answers-wrong");
  await ada.fill();
  await ada.look("answers");
  await ada.press("Show me what would be sent");
  await ada.at("What will be sent first");
  await ada.look("enrolment");
  await ada.press("Back");
  await ada.at("Your answers");
  check((await ada.page.getByLabel("How old are you?").inputValue()) === PRIVATE.age, "going back keeps what was typed");
  await ada.press("Show me what would be sent");
  await ada.at("What will be sent first");
  const enrolment = await ada.shown();
  check(!Object.keys((await got()).people).length, "nothing is sent before the button is pressed");
  check(JSON.stringify(JSON.parse(enrolment).public) === '[null,null,"south",2.5,null]', `the enrolment says ${enrolment}`);
  await ada.press("Send this");
  await ada.at("The question for you");
  await ada.look("report");
  const report = await ada.shown();
  check(!Object.keys((await got()).reports).length, "no report is sent before the button is pressed");
  const [person] = Object.values((await got()).people);
  check(person.enrolment === enrolment && person.invitation === "invited-1", "the enrolment that was shown is the one that was sent");
  await ada.press("Send this");
  await ada.at("Thank you");
  await ada.page.getByText("See again what was sent").click();
  await ada.look("thanks");
  const { reports, requests } = await got();
  check(Object.values(reports).length === 1 && Object.values(reports)[0] === report, "the report that was shown is the one that was sent");
  nothingPrivate(JSON.stringify(requests), "what was sent");
  nothingPrivate(await ada.stored(), "what the browser keeps");
  await ada.open();
  await ada.at("Thank you");
  await ada.page.getByText("See again what was sent").click();
  check((await ada.page.locator("pre").allTextContents()).join() === [enrolment, report].join(), "a second visit shows what was sent");
  check((await got()).requests.filter(([method]) => method !== "GET").length === 2, "a second visit sends nothing");
  await ada.leave();
}

/** The page is reloaded at every step, and the server is lost at every step. */
async function interrupted({ sit, got, set }) {
  const ada = await sit();
  await ada.at("How do we sleep?");
  await set({ fail: 1 });
  await ada.page.reload();
  await ada.at("Something is in the way");
  await ada.look("unreachable");
  await ada.press("Try again");
  await ada.at("How do we sleep?");
  await ada.toEnrolment();
  const enrolment = await ada.shown();
  await set({ fail: 1 });
  await ada.press("Send this");
  await ada.page.getByText("cannot be reached").waitFor();
  await ada.look("enrolment-unreachable");
  await ada.page.reload();
  await ada.at("What will be sent first");
  check((await ada.shown()) === enrolment, "the enrolment is the same after a reload");
  await ada.press("Send this");
  await ada.at("Your answers, once more");
  await ada.look("answers-again");
  await ada.fillAgain();
  await ada.press("Continue");
  await ada.at("The question for you");
  const report = await ada.shown();
  await ada.page.reload();
  await ada.at("The question for you");
  check((await ada.shown()) === report, "the report is the same after a reload");
  await ada.page.getByText("It is sent unchanged").waitFor();
  await set({ fail: 1 });
  await ada.press("Send this");
  await ada.page.getByText("cannot be reached").waitFor();
  await ada.press("Send this");
  await ada.at("Thank you");
  const sent = (await got()).requests.filter(([method]) => method === "PUT").map(([, , body]) => body);
  check(sent.length === 2 && sent.every((body) => body === report), "every attempt sends the same bytes");
  await ada.leave();
}

async function enrolFirst({ sit, got, set }) {
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
  check(await ada.page.getByLabel("How much coffee do you drink on a usual day?").evaluate((node) => node.readOnly && node.value === "2.5"), "what was public is fixed");
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

async function refused({ sit, got, set }) {
  const why = { broken: "less protection than it says", costly: "cost more of your privacy", "other study": "another study", nonsense: "not written as a question must be" };
  for (const [question, sentence] of Object.entries(why)) {
    await set({ reset: true, question });
    const ada = await sit();
    await ada.toEnrolment();
    await ada.press("Send this");
    await ada.at("Your device has refused the question");
    await ada.page.getByText(sentence).first().waitFor();
    await ada.look(`refused-${question.replace(" ", "-")}`);
    check(!(await got()).requests.some(([method]) => method === "PUT"), "nothing is sent for a question that is refused");
    check(!has(await ada.stored(), "semildp.report"), "nothing is drawn for a question that is refused");
    await ada.leave();
  }
}

async function notNow({ sit, set }) {
  const told = { "not-open": "opens on 1 March 2026", closed: "This study is closed" };
  for (const [status, sentence] of Object.entries(told)) {
    await set({ reset: true, status });
    const ada = await sit();
    await ada.page.getByText(sentence).first().waitFor();
    await ada.look(status);
    check(!(await ada.page.getByRole("button", { name: "Take part" }).count()), "nobody can begin");
    await ada.leave();
  }
  await set({ reset: true });
  const bob = await sit("");
  await bob.page.getByText("you need an invitation").waitFor();
  await bob.leave();
}

async function invitations({ sit, set, got }) {
  const eve = await sit("#guessed");
  await eve.toEnrolment();
  await eve.press("Send this");
  await eve.page.getByText("This invitation is not known.").waitFor();
  await eve.leave();
  const ada = await sit();
  await ada.toEnrolment();
  await ada.press("Send this");
  await ada.at("The question for you");
  const bob = await sit();
  await bob.toEnrolment();
  await bob.press("Send this");
  await bob.page.getByText("This invitation has been used before").waitFor();
  check(Object.keys((await got()).people).length === 1, "an invitation is for one person");
  await bob.leave();
  await set({ over: true });
  await ada.press("Send this");
  await ada.page.getByText("The time for this question is over").waitFor();
  await set({ over: false, status: "closed" });
  await ada.page.reload();
  await ada.page.getByText("The study was closed in the meantime").waitFor();
  await ada.leave();
}

async function twoTabs({ sit, set, got }) {
  await set({ asking: false });
  const ada = await sit();
  await ada.toEnrolment();
  await ada.press("Send this");
  await ada.at("Now it takes some time");
  await set({ asking: true });
  const shown = [];
  for (let round = 0; round < 2; round += 1) {
    await ada.open();
    await ada.at("Your answers, once more");
    await ada.fillAgain();
    shown.push(ada.page);
  }
  await Promise.all(shown.map((page) => page.getByRole("button", { name: "Continue" }).click()));
  const texts = await Promise.all(shown.map(async (page) => {
    await page.getByText("What it costs").waitFor();
    return page.locator("pre").first().textContent();
  }));
  check(texts[0] === texts[1], "two tabs draw once");
  check((await ada.stored()).split("semildp.report.").length === 2, "one report is recorded");
  await Promise.all(shown.map((page) => page.getByRole("button", { name: "Send this" }).click()));
  await Promise.all(shown.map((page) => page.getByText("Your answer has arrived", { exact: false }).first().waitFor()));
  check(Object.values((await got()).reports).length === 1, "one report");
  await ada.leave();
}

async function everythingPrivate({ sit, set, got }) {
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

async function somebodyElse({ sit, got }) {
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

async function noStorage({ sit, got }) {
  const ada = await sit();
  await ada.toEnrolment();
  await ada.page.evaluate(() => { Storage.prototype.setItem = () => { throw new Error("full"); }; });
  await ada.press("Send this");
  await ada.page.getByText("This browser does not keep data").waitFor();
  check(!(await got()).requests.some(([method]) => method !== "GET"), "nothing is sent that cannot be remembered");
  await ada.leave();
}

/** While it waits, the page looks now and then; not oftener than every half minute, and not where nobody sees it. */
async function byItself({ sit, got, set }) {
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

/** With every text of the file marked, nothing on the page may be without a mark but what the study itself says. */
async function translated({ sit, set }) {
  await set({ translated: true });
  const ada = await sit();
  const own = /^([\d.,\s]*|How .*\?|Where .*\?|We would .*|The results .*|Dr\. .*|0 is not at all.*|none|one|two or more|north|south|east|west|centre|islands|2,5 cups)$/;
  const unmarked = () => ada.page.evaluate(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("pre, noscript, script")) texts.push(walker.currentNode.textContent.trim());
    for (const node of document.querySelectorAll("[aria-label]")) texts.push(node.getAttribute("aria-label"));
    return texts.filter((text) => !text.includes("⟦"));
  });
  const look = async (step) => {
    const left = (await unmarked()).filter((text) => !own.test(text));
    check(!left.length, `words that are in no file, at “${step}”: ${JSON.stringify(left)}`);
    await ada.look(`translated-${step}`);
  };
  await ada.at("How do we sleep?");
  check((await ada.page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.dir}`)) === "de rtl", "language and direction are the file's");
  await look("about");
  await ada.press("⟦Take part⟧");
  await ada.at("⟦Your answers⟧");
  await ada.press("⟦Show me what would be sent⟧");
  await look("answers-wrong");
  for (const [id, text] of [["0", PRIVATE.age], ["3", "2,5"], ["4", "11"]]) await ada.page.locator(`#feature-${id}`).fill(text);
  await ada.page.locator("#label").fill("7");
  await ada.page.locator("#feature-1-1").check();
  await ada.page.locator("#feature-2").selectOption("south");
  await ada.page.locator("[name=feature-3-privacy][value=public]").check({ force: true });
  await look("answers");
  await ada.press("⟦Show me what would be sent⟧");
  await ada.at("⟦What will be sent first");
  await look("enrolment");
  await ada.press("⟦Send this⟧");
  await ada.at("⟦The question for you");
  await look("report");
  await ada.press("⟦Send this⟧");
  await ada.at("⟦Thank you⟧");
  await look("thanks");
  await ada.leave();
}

/** From link to thanks without a mouse. */
async function keyboard({ sit, got }) {
  const ada = await sit();
  await ada.at("How do we sleep?");
  const { keyboard: keys } = ada.page;
  const go = async (test) => {
    for (let i = 0; i < 60; i += 1) {
      await keys.press("Tab");
      if (await ada.page.evaluate(test)) return;
    }
    throw new Error(`not reached by the keyboard: ${test}`);
  };
  await go("document.activeElement.matches('button.main')");
  await keys.press("Enter");
  await ada.at("Your answers");
  for (const [id, text] of [["feature-0", "37"], ["feature-1-0", " "], ["feature-2", "so"], ["feature-3", "2"], ["feature-4", "8"], ["label", "7"]]) {
    await go(`document.activeElement.id === '${id}'`);
    await keys.type(text);
    if (id === "feature-3") {
      await go("document.activeElement.name === 'feature-3-privacy'");
      await keys.press("ArrowRight");
    }
  }
  await keys.press("Enter");
  await ada.at("What will be sent first");
  await go("document.activeElement.matches('button.main')");
  await keys.press("Enter");
  await ada.at("The question for you");
  await go("document.activeElement.matches('button.main')");
  await keys.press("Enter");
  await ada.at("Thank you");
  const [{ enrolment }] = Object.values((await got()).people);
  check(JSON.stringify(JSON.parse(enrolment).public) === "[null,null,null,2,null]", `the enrolment says ${enrolment}`);
  await ada.leave();
}

/** Phones and a desk, light and dark. */
async function looks({ sit, set }) {
  const sizes = { phone: { width: 390, height: 844 }, narrow: { width: 360, height: 640 }, desk: { width: 1280, height: 900 } };
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of size === "narrow" ? ["dark"] : ["light", "dark"]) {
      await set({ reset: true });
      const ada = await sit(`#invited-${size}`, { viewport, colorScheme });
      await ada.at("How do we sleep?");
      await ada.look(`${size}-${colorScheme}-1-about`);
      await ada.press("Take part");
      await ada.fill();
      await ada.look(`${size}-${colorScheme}-2-answers`);
      await ada.press("Show me what would be sent");
      await ada.at("What will be sent first");
      await ada.look(`${size}-${colorScheme}-3-enrolment`);
      await ada.press("Send this");
      await ada.at("The question for you");
      await ada.look(`${size}-${colorScheme}-4-report`);
      await ada.press("Send this");
      await ada.at("Thank you");
      await ada.look(`${size}-${colorScheme}-5-thanks`);
      await ada.leave();
    }
  }
}

export const SCENARIOS = {
  "one visit": oneVisit,
  interrupted,
  "enrol first": enrolFirst,
  "by itself": byItself,
  "questions that are refused": refused,
  "not now": notNow,
  invitations,
  "two tabs": twoTabs,
  "everything private": everythingPrivate,
  "somebody else": somebodyElse,
  "no storage": noStorage,
  translated,
  keyboard,
  "sizes and colours": looks,
};

/** Against the real server, with an open study: from link to thanks, and back. */
async function wholeWay({ sit }) {
  const ada = await sit("");
  await ada.at("How do we sleep?");
  await ada.toEnrolment();
  await ada.press("Send this");
  await ada.at("The question for you");
  const report = await ada.shown();
  await ada.press("Send this");
  await ada.at("Thank you");
  await ada.open();
  await ada.at("Thank you");
  await ada.page.getByText("See again what was sent").click();
  check((await ada.page.locator("pre").nth(1).textContent()) === report, "a second visit shows what was sent");
  await ada.leave();
}

export const REAL = { "the whole way": wholeWay };

/** Bind a story to a browser and a server. */
export function tools(browser, base) {
  const set = (told) => fetch(`${base}/test/set`, { method: "POST", body: JSON.stringify(told) });
  const got = async () => (await fetch(`${base}/test/got`)).json();
  return { set, got, sit: (link, options) => Person.sit(browser, base, link, options) };
}
