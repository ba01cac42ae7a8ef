/** The consent page: loads what is public, and begins or continues a visit. */

import { showAnother } from "./afterwards.js";
import { readStudy } from "./device/study.js";
import { el, notice, show } from "./dom.js";
import { Seats } from "./seats.js";
import * as server from "./server.js";
import { direction, language, setTexts, t } from "./texts.js";
import { showTrouble } from "./trouble.js";
import { Visit } from "./visit.js";

/** The invitation stands behind the # of the link, which browsers do not send along; "" if there is none. */
const invitation = /^#[\w.~+/=-]+$/.test(location.hash) ? location.hash.slice(1) : "";

function visit(about, seats, seat) {
  return new Visit(about, seats, seat, invitation, () => beginAnew(about, seats));
}

async function beginAnew(about, seats) {
  visit(about, seats, await seats.begin(invitation)).about_();
}

/** Load the page's words; without them there is only the sentence that stands in index.html. */
async function speak() {
  try {
    setTexts(await server.texts());
  } catch {
    document.getElementById("wordless").classList.remove("late");
    return;
  }
  document.documentElement.lang = language();
  document.documentElement.dir = direction();
  if (window.isSecureContext && navigator.locks) start();
  else show("about", t("problem.title"), notice(t("problem.insecure"), "bad"));
}

/** Load everything that is public, then begin or continue. */
async function start() {
  let about;
  try {
    show("about", t("page.loading"));
    const [bytes, collection] = await Promise.all([server.study(), server.collection()]);
    about = { study: await readStudy(bytes), collection };
  } catch (error) {
    return showTrouble("about", error, start);
  }
  document.title = t("page.title", { title: about.collection.title || about.study.name });
  document.getElementById("footer").replaceChildren(el("p", {}, t("page.footer")), el("p", {}, t("page.software")));
  const seats = new Seats(localStorage, about.study);
  const seat = await seats.find(invitation);
  if (seat) return visit(about, seats, seat).resume();
  const last = seats.all().findLast((other) => other.enrolled);
  if (!last) return beginAnew(about, seats);
  const me = () => visit(about, seats, last).resume();
  return showAnother(() => beginAnew(about, seats), me);
}

window.addEventListener("hashchange", () => location.reload()); // another invitation in the same window

speak();
