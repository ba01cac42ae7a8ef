/** Runs stories in a real browser: `node page.mjs URL [names]`; one JSON line each: name, and what is wrong. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "./people.mjs";
import { REAL, SCENARIOS, tools } from "./scenarios.mjs";

const [base, ...wanted] = process.argv.slice(2);
const executablePath = process.env.SEMILDP_CHROMIUM ?? "/usr/bin/chromium";
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const home = mkdtempSync(join(tmpdir(), "semildp-browser-"));
const browser = await chromium.launch({ executablePath, args: quiet, env: { ...process.env, HOME: home } });
try {
  const { set, ...others } = tools(browser, base);
  for (const name of wanted.length ? wanted : Object.keys(SCENARIOS)) {
    if (name in SCENARIOS) await set({ reset: true });
    let wrong = null;
    try {
      await (SCENARIOS[name] ?? REAL[name])({ set, ...others });
    } catch (error) {
      wrong = String(error.stack);
    }
    for (const context of browser.contexts()) await context.close();
    console.log(JSON.stringify({ name, wrong }));
  }
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
