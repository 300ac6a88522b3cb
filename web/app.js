// The page: its address, its frame, its keys. The views are separate modules.
import { h, render } from "./dom.js";
import { ATTENTION, HEALTH, METRICS, PROBLEMS, PROJECTS, WORKTREES, data, need, observe, refresh, resource } from "./data.js";
import { connection, follow, lost, reached } from "./live.js";
import { cut, exact, num, plain } from "./text.js";
import { age, caveats, empty, fold, isLoading, later, mark, onChange, parseRecord, problemCount, tickTimes } from "./parts.js";
import * as now from "./now.js";
import * as board from "./board.js";
import { activity, epics, problems, tasks } from "./lists.js";

const VIEWS = { now, board, epics, tasks, activity, problems };
const NAMES = ["now", "board", "epics", "tasks", "messages", "activity", "problems"];
// The view of worktrees is for a repository that has several.
const names = () => (data(WORKTREES)?.count > 1 ? [...NAMES, "worktrees"] : NAMES);
// What is shown of a view whose module is still being loaded.
const LOADING = { needs: () => [], view: () => empty("Loading.") };
const viewOf = (name) => VIEWS[name] ?? later(name) ?? LOADING;
// How often relative times are brought up to date, in milliseconds.
const TIMES = 5000;
// How long a view that is opened waits for all its parts, in milliseconds, so that none moves another.
const TOGETHER = 1000;

const find = (selector) => document.querySelector(selector);
const root = find("#app");
// What views get: the state in the address, and what changes it. `first` is true until a view's first frame is drawn.
const app = { view: "now", params: {}, open: undefined, since: undefined, first: true, bell: false, set, close, redraw };
let openedAt = 0;
let helpIsOpen = false;
let opener;

// The address: `#board?owner=api&open=story/US-0009` is a view, `#story/US-0009` a record over the view that is open.

function read() {
  const [, name, query = ""] = /^#?\/?([^?]*)\??(.*)$/s.exec(location.hash);
  const before = app.view;
  const direct = parseRecord(decode(name));
  if (direct) {
    app.open = direct;
    history.replaceState(null, "", address());
  } else {
    app.view = [...NAMES, "worktrees"].includes(name) ? name : "now";
    app.params = Object.fromEntries(new URLSearchParams(query));
    app.open = parseRecord(app.params.open);
  }
  if (app.view !== before || app.first) {
    fold();
    app.first = true;
    openedAt = performance.now();
    setTimeout(redraw, TOGETHER);
    viewOf(app.view).enter?.();
    scrollTo(0, 0);
  }
  redraw();
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function address() {
  const open = app.open && `${app.open.kind}/${app.open.id}`;
  const query = new URLSearchParams(Object.entries({ ...app.params, open }).filter(([, value]) => value));
  return `#${app.view}${query.size ? "?" : ""}${query}`;
}

function set(changes, isTyping) {
  app.params = { ...app.params, ...changes };
  history[isTyping ? "replaceState" : "pushState"](null, "", address());
  redraw();
}

function close() {
  app.open = undefined;
  set({ open: undefined });
}

let scheduled = false;
// Draws once before the next frame. A hidden tab has no frames, and so does nothing.
function redraw() {
  if (!scheduled) requestAnimationFrame(draw);
  scheduled = true;
}

function draw() {
  scheduled = false;
  // The panel of a record is loaded after the first screen.
  const record = (app.open || !app.first) && later("record");
  const open = record && app.open;
  const view = viewOf(app.view);
  const shown = view.needs(app);
  need([...shown, ...(open ? record.needs(open) : []), HEALTH, METRICS, ATTENTION, PROBLEMS, PROJECTS, WORKTREES]);
  const isThere = !isLoading() && shown.every((path) => resource(path).loadedAt);
  const isDrawn = isThere || !app.first || performance.now() - openedAt >= TOGETHER;
  document.body.classList.toggle("lost", connection.state === "lost");
  render(root, [
    h("a.skip", { href: "#content", onclick: skip }, "Skip to content"),
    header(),
    banner(shown[0] ?? HEALTH),
    h("div.frame", { key: "frame" },
      h("main", { id: "content", tabindex: "-1", key: app.view }, h("h1.sr", title(app.view)), isDrawn ? careful(() => view.view(app)) : empty("Loading.")),
      open && careful(() => record.view(app, open))),
    helpIsOpen && help(),
  ]);
  const number = now.needing();
  document.title = `${number ? `(${number}) ` : ""}${cut(plain(data(HEALTH)?.project), 60)} · flow`;
  moveFocus(open);
  if (!app.first) later("news")?.look(app);
  if (!app.first && (app.bell || app.rang)) later("bell")?.set(app);
  if (app.first && isThere) {
    // The first entries are on the screen after this frame; the rest follows.
    app.first = false;
    requestAnimationFrame(() => setTimeout(redraw));
  }
}

// What is on record may be of any shape. A view that cannot show it says so; the rest of the page stays.
function careful(make) {
  try {
    return make();
  } catch (error) {
    console.error(error);
    return empty(`This cannot be shown: ${error.message}`);
  }
}

const title = (view) => view[0].toUpperCase() + view.slice(1);

function header() {
  const counts = { now: now.needing(), problems: problemCount() };
  return h("header.top",
    h("div.brand", h("b", "flow"), " / ", project()),
    h("nav", { "aria-label": "Views" }, names().map((name, at) => h("a", { href: `#${name}`, "aria-current": name === app.view && "page", title: `${title(name)} (${at + 1})`, key: name },
      title(name), counts[name] > 0 && h("span.badge", ` ${num(counts[name])}`)))),
    live(),
    h("input", { type: "search", id: "search", value: app.params.q ?? "", placeholder: "Search this view  /", "aria-label": "Search this view", oninput: ({ target }) => set({ q: target.value }, true), autocomplete: "off" }),
    bell(),
    h("button.help", { "aria-label": "Keys", title: "Keys (?)", onclick: toggleHelp }, "?"));
}

// This project, with a menu of the others that are served.
function project() {
  const name = cut(plain(data(HEALTH)?.project), 40) || "…";
  const others = data(PROJECTS)?.projects ?? [];
  if (!others.length) return h("span.project", name);
  const link = ({ name, url }) => h("li", { key: url }, h("a", { href: url }, cut(name, 60), h("span.count", ` :${new URL(url).port}`)));
  const all = h("li", { key: "all" }, h("a", { href: "/projects" }, "All projects"));
  return [h("button.project", { popovertarget: "projects", title: "Other projects" }, name, " ▾"), h("ul", { id: "projects", popover: true }, all, others.map(link))];
}

// Notifications of the browser. Only a click may ask it for them.
function bell() {
  if (!globalThis.Notification || !navigator.locks) return null;
  const label = Notification.permission === "denied" ? "Notifications: blocked by the browser" : "Notifications of what needs you";
  return h("button.help", { "aria-label": label, title: `${label}${app.bell ? ": on" : ""}`, "aria-pressed": String(app.bell), onclick: ring }, mark("bell"));
}

async function ring() {
  app.bell = !app.bell && (await Notification.requestPermission()) === "granted";
  app.rang = true;
  redraw();
}

// How the page hears of changes, and how old the data is.
function live() {
  const { state, how, since } = connection;
  const words = state === "lost" ? "not connected" : state;
  const written = data(METRICS)?.timestamp;
  return h("p.live", { title: `${words}${how && ` by ${how}`} since ${exact(since)}` }, mark(state === "lost" ? "failed" : state), h("span", { role: "status" }, words),
    written && h("span.absent", "written ", age(written, " ago")));
}

// What is wrong with all that is shown: no connection, files that cannot be read, records that may not be read as meant.
function banner(path) {
  if (connection.state === "lost") {
    const { at } = resource(path);
    return h("div.banner", { role: "alert", key: "lost" }, mark("failed"), h("span", `No connection to the server since ${exact(connection.since).slice(11)}. `,
      at && `Data as of ${exact(at).slice(11)}. `, "Retrying. To start the server: ", h("code", "flow api start")));
  }
  const found = app.view === "problems" ? [] : caveats();
  return found.length > 0 && h("div.banner", { role: "alert", key: "degraded" }, mark("degraded"), h("span", found));
}

// The focus goes into a record that was opened, and back to where it was when it is closed.
function moveFocus(isShown) {
  if (app.open && !isShown) return;
  const [before, open] = [root.dataset.open, app.open ? `${app.open.kind}/${app.open.id}` : ""];
  root.dataset.open = open;
  if (before === open || before === undefined) return;
  if (open) {
    if (!document.activeElement.closest(".panel")) opener = document.activeElement;
    find("#record-title")?.focus({ preventScroll: true });
    find(".panel")?.scrollTo(0, 0);
  } else (opener?.isConnected && opener !== document.body ? opener : find("#content")).focus({ preventScroll: true });
}

const KEYS = {
  "1 … 8": "go to view", "j, k or ↓, ↑": "next and previous entry", "h, l or ←, →": "column of the board", Enter: "open the entry", Esc: "close the record, leave the search", "/": "search this view",
  g: "group the board by epic, owner, nothing", p: "pause or resume the messages", r: "reload", "?": "show keys",
};

function help() {
  return h("dialog", { key: "help", "aria-label": "Keys", onclose: () => { helpIsOpen = false; redraw(); } },
    h("h2", "Keys"), h("dl.keys", Object.entries(KEYS).map(([key, what]) => [h("dt", h("kbd", key)), h("dd", what)])),
    h("button", { onclick: toggleHelp }, "Close"));
}

function toggleHelp() {
  if (helpIsOpen) return find("dialog").close();
  helpIsOpen = true;
  draw();
  find("dialog").showModal();
}

function skip(event) {
  event.preventDefault();
  find("#content").focus();
}

const target = (item) => item.querySelector("a, button");
const itemsOf = (within) => [...within.querySelectorAll(".item")].filter((item) => item.offsetParent && target(item));

// A click anywhere on an entry opens it, where it does not end a selection of text.
function pick(event) {
  const item = event.target.closest(".item");
  if (item && !event.target.closest("a, button, dl, summary") && getSelection().isCollapsed) target(item)?.click();
}

// Moves the focus by so many entries and columns.
function step(by, across) {
  const here = document.activeElement.closest(".item");
  const column = document.activeElement.closest("[data-column]");
  let items = itemsOf(column ?? find("main"));
  let at = items.indexOf(here);
  if (across) {
    const columns = [...document.querySelectorAll("[data-column]")].filter((one) => itemsOf(one).length);
    items = itemsOf(columns[column ? columns.indexOf(column) + across : 0] ?? root);
    if (!items[0]?.closest("[data-column]")) return;
  } else at = at < 0 && by < 0 ? items.length - 1 : at + by;
  const next = items[Math.min(Math.max(at, 0), items.length - 1)];
  if (!next) return;
  target(next).focus();
  next.scrollIntoView({ block: "nearest" });
}

function escape(typing) {
  if (typing) find("#content").focus({ preventScroll: true });
  else if (app.open) close();
  else if (app.params.q) set({ q: "" });
}

const ACTIONS = {
  j: () => step(1), k: () => step(-1), l: () => step(0, 1), h: () => step(0, -1),
  "/": () => find("#search").focus(), "?": toggleHelp, r: () => refresh(),
  g: () => app.view === "board" && set({ group: { epic: "owner", owner: "" }[app.params.group] ?? "epic" }),
  p: () => app.view === "messages" && viewOf("messages").pause?.(app),
};
const ARROWS = { ArrowDown: "j", ArrowUp: "k", ArrowRight: "l", ArrowLeft: "h" };

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || helpIsOpen || find(":popover-open")) return;
  const typing = event.target.matches("input, select, summary");
  if (event.key === "Escape") return escape(typing);
  if (typing) return;
  const arrow = ARROWS[event.key];
  // In the panel, and where there are no entries or columns, arrows scroll.
  if (arrow && (event.target.closest(".panel") || !find(/[hl]/.test(arrow) ? "main [data-column]" : "main .item"))) return;
  const key = arrow ?? event.key;
  if (/^[1-8]$/.test(key)) location.hash = names()[key - 1] ?? app.view;
  else if (Object.hasOwn(ACTIONS, key)) ACTIONS[key]();
  else return;
  event.preventDefault();
}

// When this project was last looked at. Where the browser keeps nothing, that is not known.
function look() {
  try {
    if (document.hidden) localStorage.setItem("flow-seen", new Date().toISOString());
    else {
      app.since = localStorage.getItem("flow-seen") ?? undefined;
      app.bell = localStorage.getItem("flow-bell") === "on" && globalThis.Notification?.permission === "granted";
    }
  } catch {
    app.since = undefined;
  }
}

// Whether a change of these paths concerns a resource; of all, where there are none.
const concerns = (paths) => paths && ((path) => [...paths, "/api/activity", "/api/origins"].some((one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}?`)));

observe(() => { reached(); redraw(); }, lost);
onChange(redraw, lost);
addEventListener("hashchange", read);
addEventListener("popstate", read);
addEventListener("keydown", press);
addEventListener("click", pick);
document.addEventListener("visibilitychange", look);
setInterval(() => document.hidden || tickTimes(), TIMES);
look();
read();
// These do not depend on files alone.
follow({ changed: (paths) => { refresh(concerns(paths)); redraw(); }, tick: () => refresh((path) => [HEALTH, ATTENTION, PROJECTS].includes(path)), moved: redraw });
