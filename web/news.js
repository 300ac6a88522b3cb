// What newly needs you: announced to screen readers, and marked until it was seen.
import { ATTENTION, data } from "./data.js";
import { cut, plain, visible } from "./text.js";

const KEPT = "flow-needs-seen";
// The most items of which it is kept that they were seen. With more, none is marked.
const MOST = 2000;
// How long a marked item is on a visible page until it counts as seen, in milliseconds.
const SEEN = 20000;
// The most items that are announced at once, each with so many characters.
const [MOST_ANNOUNCED, MOST_TEXT] = [3, 160];

// An item in a line of text.
export const words = ({ label, kind, id, title, reason }) => visible(cut([label ?? kind, id, title].map(plain).filter(Boolean).join(" ") + (plain(reason) && `: ${plain(reason)}`), MOST_TEXT));

const region = document.createElement("p");
region.className = "sr";
region.setAttribute("role", "status");
document.body.append(region);

// The keys of the items that were seen, of those that are on the screen with the time since when, and that were announced.
let seen = kept();
const shown = new Map();
const announced = new Set();
let isKept = Boolean(seen);
let timer;
let app;

function kept() {
  try {
    const keys = JSON.parse(localStorage.getItem(KEPT));
    return Array.isArray(keys) ? new Set(keys) : undefined;
  } catch {
    return undefined;
  }
}

function keep() {
  isKept = true;
  try {
    localStorage.setItem(KEPT, JSON.stringify([...seen]));
  } catch {
    // It is known in this tab only.
  }
}

// Whether an item that is shown now is new.
export function isNew({ key }) {
  if (!seen || seen.has(key)) return false;
  if (!shown.has(key)) shown.set(key, Date.now());
  timer ??= setTimeout(pass, SEEN);
  return true;
}

function pass() {
  timer = undefined;
  if (shown.size) see(Date.now() - SEEN);
  if (shown.size) timer = setTimeout(pass, SEEN);
}

// What is on the screen since then has been seen.
function see(since) {
  const keys = [...shown].filter(([, at]) => at <= since).map(([key]) => key);
  if (!keys.length) return;
  for (const key of keys) shown.delete(key), seen.add(key);
  keep();
  app.redraw();
}

// Takes in what needs you.
export function look(given) {
  app = given;
  const items = data(ATTENTION)?.items;
  if (!items) return;
  const keys = new Set(items.map(({ key }) => key));
  // At the first visit nothing is new. What is settled is new when it comes back.
  if (!seen || keys.size > MOST) seen = keys;
  for (const set of [seen, shown, announced]) for (const key of set.keys()) if (!keys.has(key)) {
    set.delete(key);
    if (set === seen) isKept = false;
  }
  if (!isKept) keep();
  const fresh = items.filter(({ key }) => !seen.has(key) && !announced.has(key));
  if (!fresh.length) return;
  for (const { key } of fresh) announced.add(key);
  const rest = fresh.length - MOST_ANNOUNCED;
  region.textContent = `New: ${fresh.slice(0, MOST_ANNOUNCED).map(words).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

// What is shown has been seen when its view or the page is left.
addEventListener("hashchange", () => app?.view !== "now" && see(Infinity));
document.addEventListener("visibilitychange", () => document.hidden && see(Infinity));
addEventListener("storage", ({ key }) => {
  if (key !== KEPT) return;
  seen = kept() ?? seen;
  app?.redraw();
});
