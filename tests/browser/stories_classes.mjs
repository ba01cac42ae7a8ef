/** A study whose label is one of a list of classes: chosen by its word, and sent with chance mixed in. */

import { check } from "./people.mjs";

export async function aClass({ sit, set, got }) {
  for (const colorScheme of ["light", "dark"]) {
    await set({ reset: true, scene: "rest", question: "class" });
    const ada = await sit(`#invited-${colorScheme}`, { colorScheme });
    await ada.at("Did you sleep well?");
    await ada.press("Take part");
    await ada.at("Your answers");
    await ada.type("How old are you?", "37");
    await ada.type("How stressed have you felt this week?", "8.0625");
    await ada.privacy("How old are you?", "Public");
    await ada.press("Show me what would be sent");
    await ada.page.getByText("1 of your answers need another look.").waitFor();
    const choice = ada.page.getByRole("radiogroup", { name: "How did you sleep last night?" });
    check((await choice.getByRole("radio").count()) === 3, "the study's classes are offered");
    await choice.getByRole("radio", { name: "so-so", exact: true }).check();
    await ada.look(`class-${colorScheme}-answers`);
    await ada.press("Show me what would be sent");
    await ada.at("What will be sent first");
    await ada.press("Send this");
    await ada.at("The question for you");
    await ada.page.getByText("together with it, your answer to “How did you sleep last night?”, one of 3").waitFor();
    await ada.look(`class-${colorScheme}-report`);
    const [marks] = JSON.parse(await ada.shown()).answers;
    check(marks.length === 2 && marks.every((mark) => mark >= 0 && mark < 9), `two of nine pairs are sent: ${marks}`);
    await ada.press("Send this");
    await ada.at("Thank you");
    const sent = JSON.stringify((await got()).requests);
    check(!sent.includes("so-so") && !sent.includes("8.0625"), "neither the class nor the stress is sent");
    await ada.leave();
  }
}
