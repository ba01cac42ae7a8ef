/** Talking to the study's server: the messages go as they are, byte for byte. */

/** The server could not be reached, or was too busy; trying again may help. */
export class Unreachable extends Error {}

/** The server refused; `problem` is the name it gave. */
export class Refusal extends Error {
  constructor(status, problem, detail) {
    super(`${status} ${problem}: ${detail}`);
    Object.assign(this, { status, problem, detail });
  }
}

const PATIENCE = 30_000; // milliseconds until a request counts as lost

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, {
      ...options,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new Unreachable();
  }
  if (response.ok) return response;
  if (response.status >= 500 || response.status === 429) throw new Unreachable();
  let said = {};
  try {
    said = await response.json();
  } catch {
    // an answer without a body: its number must do
  }
  throw new Refusal(response.status, String(said.problem ?? ""), String(said.detail ?? said.title ?? ""));
}

async function bytesOf(response) {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    throw new Unreachable();
  }
}

const bearer = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

/** Return the study's bytes. */
export const study = async () => bytesOf(await request("/api/study"));

/** Return what is said about how the study is collected. */
export const collection = async () => (await request("/api/collection")).json();

/** Return the page's words: the study's translation, or English. */
export async function texts() {
  try {
    return await (await request("/api/texts")).json();
  } catch {
    return (await request("/page/texts.json")).json();
  }
}

/** Do something; where the server does not know who asks, the refusal gets this name. */
async function knowing(problem, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) error.problem = problem;
    throw error;
  }
}

/** Send an enrolment, under a number that the device has drawn for its person. */
export async function enrol(invitation, person, enrolment) {
  const headers = { ...bearer(invitation), "Semildp-Person": person, "Content-Type": "application/json" };
  await knowing("unknown-invitation", () => request("/api/people", { method: "POST", headers, body: enrolment }));
}

/**
 * Ask for the person's question.
 * @returns {Promise<{question: Uint8Array|null, state: string, wait: number}>} wait in seconds
 */
export async function question(person) {
  const response = await knowing("unknown-person", () => request("/api/question", { headers: bearer(person) }));
  const state = response.headers.get("Semildp-State") ?? "waiting";
  const wait = Number(response.headers.get("Retry-After"));
  return { question: response.status === 204 ? null : await bytesOf(response), state, wait: wait > 0 ? wait : 60 };
}

/** Send a report. */
export async function report(person, wave, text) {
  const headers = { ...bearer(person), "Content-Type": "application/json" };
  await knowing("unknown-person", () => request(`/api/reports/${wave}`, { method: "PUT", headers, body: text }));
}
