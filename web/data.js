// Resources of the API: fetched when a view needs them, kept with their ETag, fetched again when they changed.

// Most resources that are kept in addition to the shown ones.
const MOST_KEPT = 24;
// How long an answer may take, in milliseconds.
const PATIENCE = 15000;
// A resource that took D to fetch and read is not fetched again for 3 D, at most this, in milliseconds.
const LONGEST_PAUSE = 250;

// The path of one record: all its digits are shown. In lists that would cost too much, and none are shown there.
const ONE = /^\/api\/\w+\/./;

// Resources that several modules use.
export const [HEALTH, METRICS, ATTENTION, PROJECTS, PROBLEMS, WORKTREES] = ["/api/health", "/api/metrics", "/api/attention", "/api/projects", "/api/problems", "/api/worktrees"];

const kept = new Map();
let needed = new Set();
let changed = () => {};
let failed = () => {};

// Says what to call when something new is there, and when the server could not be reached.
export function observe(onChange, onFailure) {
  changed = onChange;
  failed = onFailure;
}

// A resource: `data` once it is there, `error` and `status` where the last answer was none.
export function resource(path) {
  if (!kept.has(path)) kept.set(path, { path, stale: true, cost: 0, loadedAt: 0 });
  return kept.get(path);
}

export const data = (path) => resource(path).data;

// Declares what is shown now, and fetches what is missing of it or has changed since.
export function need(paths) {
  needed = new Set(paths);
  for (const path of needed) {
    const entry = resource(path);
    if (entry.stale) load(entry);
  }
  for (const [path, entry] of kept) {
    if (kept.size <= MOST_KEPT) break;
    if (!needed.has(path) && !entry.busy) kept.delete(path);
  }
}

// Notes that resources changed: all, or those for which `is` holds. Fetches them now if they are shown.
export function refresh(is = () => true) {
  for (const entry of kept.values()) {
    if (!is(entry.path)) continue;
    entry.stale = true;
    if (needed.has(entry.path)) load(entry);
  }
}

async function load(entry) {
  if (entry.busy) return;
  entry.busy = true;
  const pause = entry.loadedAt + Math.min(3 * entry.cost, LONGEST_PAUSE) - performance.now();
  if (pause > 0) await new Promise((done) => setTimeout(done, pause));
  entry.stale = false;
  const begun = performance.now();
  try {
    const headers = entry.etag ? { "If-None-Match": entry.etag } : {};
    const answer = await fetch(entry.path, { headers, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (answer.status !== 304) await read(entry, answer);
    entry.at = Date.now();
  } catch (error) {
    entry.stale = true;
    entry.error = error.name === "TimeoutError" ? "The server did not respond in time." : "The server cannot be reached.";
    failed();
  }
  entry.loadedAt = performance.now();
  entry.cost = entry.loadedAt - begun;
  entry.busy = false;
  changed();
  if (entry.stale && !entry.error && needed.has(entry.path)) load(entry);
}

async function read(entry, answer) {
  const text = await answer.text();
  let body;
  try {
    body = JSON.parse(text, ONE.test(entry.path) ? exactNumber : undefined);
  } catch {
    entry.error = `The answer to ${entry.path} is not JSON.`;
    return;
  }
  entry.status = answer.status;
  entry.error = answer.ok ? undefined : String(body?.error ?? `status ${answer.status}`);
  // A record that has gone is gone; what was served before an error of another kind stays.
  if (answer.ok) [entry.data, entry.etag] = [body, answer.headers.get("ETag")];
  else if (answer.status === 404) [entry.data, entry.etag] = [undefined, undefined];
}

// A number that would lose digits stays the text that it is, where the browser gives it.
function exactNumber(name, value, context) {
  const loses = typeof value === "number" && context?.source && context.source !== String(value);
  return loses && JSON.rawJSON ? JSON.rawJSON(context.source) : value;
}
