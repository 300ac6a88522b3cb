// The servers of this user's projects. The page asks each itself; what one answers goes to no other.

// The most servers that are shown, and that are asked at a time: one that hangs must not delay the others.
const MOST = 100;
const AT_ONCE = 16;
// The longest time of an answer, in milliseconds, and its largest size, in bytes.
const PATIENCE = 3000;
const LARGEST = 4 << 20;
// How often this server is asked for the others, and each server whether something has changed, in milliseconds.
const LIST = 500;
const ASK = 2000;
// How long what a server told is valid without a change, in milliseconds: sessions become silent.
const VALID = 10000;
// The most items of a kind, and agents, that are kept of a server.
const MOST_ROWS = 100;

const ADDRESS = /^http:\/\/127\.0\.0\.1:\d{1,5}\/$/;
// Through a proxy the addresses of the others would be those of another machine.
export const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

// The server of this page, and the others by their address. `state` is connecting, live, silent or gone; `name` the project;
// `told` what it answered last, if it did.
const make = (url, name, look) => ({ url, name, base: url.replace(/\/$/, ""), state: "connecting", askedAt: -ASK, look });
const here = make("/", undefined);
let others = new Map();
let looks = 0;
let hooks = {};

export const servers = () => [here, ...others.values()];

// Begins. `changed()` is called at each news; `since` is the time from which changes are counted.
export function follow(given) {
  hooks = given;
  document.addEventListener("visibilitychange", look);
  setInterval(look, LIST);
  look();
}

let isListing = false;
function look() {
  if (document.hidden) return;
  askNext();
  if (isListing || !isLocal) return;
  isListing = true;
  list().catch(() => {}).finally(() => (isListing = false));
}

// Asks the server of this page for the others. One that is not listed any more stays, as gone, until its project is served again.
async function list() {
  const { projects } = await get(here, "/api/projects");
  const listed = new Map(projects.filter(({ name, url }) => typeof name === "string" && ADDRESS.test(url)).slice(0, MOST - 1).map((one) => [one.url, one.name]));
  const before = others;
  const look = ++looks;
  others = new Map([...listed].map(([url, name]) => {
    const old = before.get(url);
    return [url, old?.name === name && old.state !== "gone" ? old : make(url, name, look)];
  }));
  const current = [...others.values()];
  for (const [url, old] of before) {
    if (others.has(url) || others.size >= MOST - 1) continue;
    if (old.state !== "gone") Object.assign(old, { state: "gone", why: "its server is no longer running", look });
    if (!current.some((server) => server.name === old.name && server.look >= old.look)) others.set(url, old);
  }
  if (before.size !== others.size || [...others.values()].some((server) => server.look === look)) hooks.changed();
  askNext();
}

// Asks those whose turn it is, the longest waiting first.
function askNext() {
  const now = performance.now();
  const due = servers().filter((server) => !server.isBusy && server.state !== "gone" && now - server.askedAt >= ASK).sort((a, b) => a.askedAt - b.askedAt);
  const busy = servers().filter((server) => server.isBusy).length;
  for (const server of due.slice(0, Math.max(0, AT_ONCE - busy))) ask(server);
}

async function ask(server) {
  server.isBusy = true;
  try {
    const health = await get(server, "/api/health");
    if (server === here) here.name = health.project;
    if (health.project !== server.name) throw new Error("another project is served at its address");
    const run = `${health.pid} ${health.generation}`;
    if (run !== server.run || performance.now() - server.toldAt > VALID) {
      const [attention, agents, metrics, activity] = await Promise.all(["attention", "agents", "metrics", hooks.since && `activity?limit=0&since=${hooks.since}`].map((path) => path && get(server, `/api/${path}`)));
      const seen = {};
      const items = attention.items.filter(({ kind }) => (seen[kind] = (seen[kind] ?? 0) + 1) <= MOST_ROWS);
      server.told = { health, items, counts: attention.counts, agents: agents.agents.slice(0, MOST_ROWS), total: agents.total, metrics, changes: activity?.total };
      server.toldAt = performance.now();
      server.run = run;
    }
    if (server.state !== "gone") server.state = "live";
  } catch (error) {
    const why = { TimeoutError: `it did not respond within ${PATIENCE / 1000} s`, Error: error.message }[error.name] ?? "its answer cannot be read";
    if (server.state !== "gone") Object.assign(server, { state: "silent", run: undefined, why });
  }
  server.askedAt = performance.now();
  server.isBusy = false;
  hooks.changed();
  if (!document.hidden) askNext();
}

async function get({ base }, path) {
  const options = { cache: "no-store", credentials: base ? "omit" : "same-origin", redirect: "error", signal: AbortSignal.timeout(PATIENCE) };
  const answer = await fetch(base + path, options).catch((error) => {
    if (error.name === "TimeoutError") throw error;
    // A browser does not tell a page of another port which of these it is.
    throw new Error(base ? `it does not respond, or its setting read_from_ports does not list ${location.port}` : "it does not respond");
  });
  if (!answer.ok) throw new Error(`its answer has the status ${answer.status}`);
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > LARGEST) {
      reader.cancel();
      throw new Error(`its answer is larger than ${LARGEST >> 20} MiB`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}
