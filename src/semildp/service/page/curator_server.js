/** What the curator's page asks of the server, with the curator's token. */

import { bearer, request } from "./server.js";

const call = (token, name, method = "GET") => request(`/api/curator/${name}`, { method, headers: bearer(token) });

/** Return the state of the study. */
export const status = async (token) => (await call(token, "status")).json();

/** Return estimates of the reports so far. */
export const interim = async (token) => (await call(token, "interim")).json();

/** End the open wave, or the enrolment. */
export const advance = (token) => call(token, "advance", "POST");

/** Close the study. */
export const close = (token) => call(token, "close", "POST");

/** Fetch a document and hand it to the browser's downloads. */
export async function download(token, name, file) {
  const blob = await (await call(token, name)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the download has begun long before
}
