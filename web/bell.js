// The bell: a notification of the browser for what newly needs you while no tab shows this project. One tab looks for all.
import { ATTENTION, HEALTH, data } from "./data.js";
import { LOCK as SHOWN } from "./live.js";
import { words } from "./news.js";
import { cut, num, plain, visible } from "./text.js";

const [KEPT, LOCK] = ["flow-bell", "flow-bell"];
// How long a poll waits for a change, in seconds: as often is looked for what follows from the time alone.
const WAIT = 25;
// How long an answer may take, and the time between two looks, at least, in milliseconds.
const [PATIENCE, PAUSE] = [35000, 1000];
// The most items that a notification lists.
const MOST = 3;

let app;
let running;

// Turns it on or off as the page says, here and in the other tabs.
export function set(given) {
  app = given;
  const isOn = app.bell;
  if (isOn === Boolean(running)) return;
  try {
    localStorage.setItem(KEPT, isOn ? "on" : "off");
  } catch {
    // It is on in this tab only.
  }
  running?.abort();
  running = isOn ? new AbortController() : undefined;
  const { signal } = running ?? {};
  if (signal) navigator.locks.request(LOCK, { signal }, () => work(signal)).catch(() => {});
}

addEventListener("storage", ({ key, newValue }) => {
  if (key !== KEPT) return;
  app.bell = newValue === "on";
  set(app);
  app.redraw();
});

async function work(signal) {
  // The keys of what somebody has seen or was told.
  let told;
  let since = "";
  while (!signal.aborted) {
    if (!document.hidden) {
      await next(document, "visibilitychange", signal);
      told = new Set(data(ATTENTION)?.items.map(({ key }) => key));
      continue;
    }
    try {
      ({ id: since } = await get(`/api/changes?since=${since}&wait=${since && WAIT}`, signal));
      const { items } = await get(ATTENTION, signal);
      const fresh = told ? items.filter(({ key }) => !told.has(key)) : [];
      told = new Set(items.map(({ key }) => key));
      if (fresh.length && !(await isShown())) tell(fresh);
    } catch {
      // The server is gone, or begins anew.
      since = "";
    }
    if (document.hidden) await new Promise((done) => setTimeout(done, PAUSE));
  }
}

const next = (target, name, signal) => new Promise((done) => {
  target.addEventListener(name, done, { once: true, signal });
  signal.addEventListener("abort", done, { once: true });
});

async function get(path, signal) {
  const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) });
  if (!answer.ok) throw new Error(path);
  return answer.json();
}

// Whether some tab shows this project: a visible one holds the change stream, or waits for it.
async function isShown() {
  const { held, pending } = await navigator.locks.query();
  return [...held, ...pending].some(({ name }) => name === SHOWN);
}

function tell(items) {
  const project = visible(cut(plain(data(HEALTH)?.project), 60));
  const rest = items.length - MOST;
  const lines = [...items.slice(0, MOST).map(words), rest > 0 && `and ${num(rest)} more`].filter(Boolean);
  const note = new Notification(`${project}: ${items.length === 1 ? "1 new item needs" : `${num(items.length)} new items need`} you`, { body: lines.join("\n"), tag: LOCK, renotify: true });
  note.onclick = () => {
    focus();
    location.hash = "#now";
    note.close();
  };
}
