/** Who can use the page: by keyboard, in another language, on every size, light and dark. */

import { PRIVATE, check } from "./people.mjs";

/** With every text of the file marked, nothing on the page may be without a mark but what the study itself says. */
export async function translated({ sit, set }) {
  await set({ translated: true });
  const ada = await sit();
  const own =
    /^([\d.,\s]*|How .*\?|Where .*\?|We would .*|The results .*|Dr\. .*|0 is not at all.*|none|one|two or more|north|south|east|west|centre|islands|2,5 cups)$/;
  const unmarked = () =>
    ada.page.evaluate(() => {
      const texts = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        if (!walker.currentNode.parentElement.closest("pre, noscript, script"))
          texts.push(walker.currentNode.textContent.trim());
      for (const node of document.querySelectorAll("[aria-label]")) texts.push(node.getAttribute("aria-label"));
      return texts.filter((text) => !text.includes("⟦"));
    });
  const look = async (step) => {
    const left = (await unmarked()).filter((text) => !own.test(text));
    check(!left.length, `words that are in no file, at “${step}”: ${JSON.stringify(left)}`);
    await ada.look(`translated-${step}`);
  };
  await ada.at("How do we sleep?");
  check(
    (await ada.page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.dir}`)) === "de rtl",
    "language and direction are the file's",
  );
  await look("about");
  await ada.press("⟦Take part⟧");
  await ada.at("⟦Your answers⟧");
  await ada.press("⟦Show me what would be sent⟧");
  await look("answers-wrong");
  for (const [id, text] of [
    ["0", PRIVATE.age],
    ["3", "2,5"],
    ["4", "11"],
  ])
    await ada.page.locator(`#feature-${id}`).fill(text);
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
export async function keyboard({ sit, got }) {
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
  for (const [id, text] of [
    ["feature-0", "37"],
    ["feature-1-0", " "],
    ["feature-2", "so"],
    ["feature-3", "2"],
    ["feature-4", "8"],
    ["label", "7"],
  ]) {
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
export async function looks({ sit, set }) {
  const sizes = {
    phone: { width: 390, height: 844 },
    narrow: { width: 360, height: 640 },
    desk: { width: 1280, height: 900 },
  };
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
