/** What must hold of the page, as stories: each begins with a server and a browser that know nothing. */

import { Person } from "./people.mjs";
import * as access from "./stories_access.mjs";
import * as classes from "./stories_classes.mjs";
import * as trouble from "./stories_trouble.mjs";
import * as visits from "./stories_visits.mjs";

export const SCENARIOS = {
  "one visit": visits.oneVisit,
  interrupted: trouble.interrupted,
  "enrol first": visits.enrolFirst,
  "by itself": visits.byItself,
  "questions that are refused": trouble.refused,
  "not now": trouble.notNow,
  invitations: trouble.invitations,
  "two tabs": trouble.twoTabs,
  "everything private": visits.everythingPrivate,
  "a class": classes.aClass,
  "somebody else": visits.somebodyElse,
  "no storage": trouble.noStorage,
  translated: access.translated,
  keyboard: access.keyboard,
  "sizes and colours": access.looks,
};

export const REAL = { "the whole way": visits.wholeWay };

/** Bind a story to a browser and a server. */
export function tools(browser, base) {
  const set = (told) => fetch(`${base}/test/set`, { method: "POST", body: JSON.stringify(told) });
  const got = async () => (await fetch(`${base}/test/got`)).json();
  return { set, got, sit: (link, options) => Person.sit(browser, base, link, options) };
}
