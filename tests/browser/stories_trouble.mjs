/** Visits that do not go well: nothing is lost, nothing is sent that should not be. */

import { check } from "./people.mjs";

const has = (text, what) => text.includes(what);

/** The page is reloaded at every step, and the server is lost at every step. */
export async function interrupted({ sit, got, set }) {
  const ada = await sit();
  await ada.at("How do we sleep?");
  for (const lost of ["**/texts.js", "**/{texts,texts.json}"]) {
    await ada.page.route(lost, (route) => route.abort());
    await ada.page.reload();
    await ada.page.getByText("This page could not be loaded in full.").waitFor({ timeout: 30_000 });
    await ada.page.unroute(lost);
  }
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
  check(!(await ada.page.getByRole("button", { name: "Back" }).count()), "what may have arrived cannot be changed");
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

export async function refused({ sit, got, set }) {
  const why = {
    broken: "less protection than it says",
    costly: "cost more of your privacy",
    "other study": "another study",
    nonsense: "not written as a question must be",
  };
  for (const [question, sentence] of Object.entries(why)) {
    await set({ reset: true, question });
    const ada = await sit();
    await ada.toEnrolment();
    await ada.press("Send this");
    await ada.at("Your device has refused the question");
    await ada.page.getByText(sentence).first().waitFor();
    await ada.look(`refused-${question.replace(" ", "-")}`);
    check(
      !(await got()).requests.some(([method]) => method === "PUT"),
      "nothing is sent for a question that is refused",
    );
    check(!has(await ada.stored(), "semildp.report"), "nothing is drawn for a question that is refused");
    await ada.leave();
  }
}

export async function notNow({ sit, set }) {
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

export async function invitations({ sit, set, got }) {
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

export async function twoTabs({ sit, set, got }) {
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
  await ada.page.evaluate(
    () =>
      navigator.locks.request(
        "semildp.ledger",
        () =>
          new Promise((resolve) => {
            globalThis.letGo = resolve;
          }),
      ) && null,
  );
  await Promise.all(shown.map((page) => page.getByRole("button", { name: "Continue" }).click()));
  await ada.page.waitForTimeout(300);
  check(!has(await ada.stored(), "semildp.report."), "while another tab holds the ledger, nothing is drawn");
  await ada.page.evaluate(() => globalThis.letGo());
  const texts = await Promise.all(
    shown.map(async (page) => {
      await page.getByText("What it costs").waitFor();
      return page.locator("pre").first().textContent();
    }),
  );
  check(texts[0] === texts[1], "two tabs draw once");
  check((await ada.stored()).split("semildp.report.").length === 2, "one report is recorded");
  await Promise.all(shown.map((page) => page.getByRole("button", { name: "Send this" }).click()));
  await Promise.all(shown.map((page) => page.getByText("Your answer has arrived", { exact: false }).first().waitFor()));
  check(Object.values((await got()).reports).length === 1, "one report");
  await ada.leave();
}

export async function noStorage({ sit, got }) {
  const ada = await sit();
  await ada.toEnrolment();
  await ada.page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new Error("full");
    };
  });
  await ada.press("Send this");
  await ada.page.getByText("This browser does not keep data").waitFor();
  check(!(await got()).requests.some(([method]) => method !== "GET"), "nothing is sent that cannot be remembered");
  await ada.leave();
}
