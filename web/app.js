// The page: its address, its frame, its keys. The views are modules of their own.
import { h, render } from "./dom.js";
import { data, need, observe, refresh, resource } from "./data.js";
import { connection, follow, lost, reached } from "./live.js";
import { ago, cut, exact, plain } from "./text.js";
import { age, empty, fold, mark, onMore, tickTimes } from "./parts.js";
import * as now from "./now.js";
import * as board from "./board.js";
import * as messages from "./messages.js";
import * as record from "./record.js";
import { DEGRADED, activity, epics, problems, tasks } from "./lists.js";

const VIEWS = { now, board, epics, tasks, messages, activity, problems };
const NAMES = Object.keys(VIEWS);
/** How often relative times are brought up to date, in milliseconds. */
const TIMES = 5000;
const HEALTH = "/api/health";
const METRICS = "/api/metrics";
const PROJECTS = "/api/projects";
/** Depends on the time, not on files alone. */
const TIMELY = [HEALTH, "/api/attention"];

const root = document.getElementById("app");
/** What views get: the state in the address, and what changes it. */
const app = { view: "now", params: {}, open: undefined, since: undefined, first: true, set, close, redraw };
let helpIsOpen = false;
let opener;

// The address

/** `#board?owner=api&open=story/US-0009` is a view; `#story/US-0009` a record over the view that is open. */
function read() {
  const hash = location.hash.replace(/^#\/?/, "");
  const at = hash.indexOf("?");
  const name = at < 0 ? hash : hash.slice(0, at);
  const [kind, ...rest] = name.split("/");
  let direct;
  try {
    direct = rest.length ? record.parse(`${kind}/${decodeURIComponent(rest.join("/"))}`) : undefined;
  } catch {
    direct = undefined;
  }
  const before = app.view;
  if (direct) {
    app.open = direct;
    history.replaceState(null, "", address());
  } else {
    app.view = Object.hasOwn(VIEWS, name) ? name : "now";
    app.params = Object.fromEntries(new URLSearchParams(at < 0 ? "" : hash.slice(at + 1)));
    app.open = record.parse(app.params.open);
  }
  if (app.view !== before || app.first) {
    fold();
    app.first = true;
    VIEWS[app.view].enter?.();
    scrollTo(0, 0);
  }
}

function address() {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(app.params)) if (value && name !== "open") query.set(name, value);
  if (app.open) query.set("open", `${app.open.kind}/${app.open.id}`);
  const text = query.toString();
  return `#${app.view}${text && "?"}${text}`;
}

/** Changes parameters of the view. */
function set(changes, isTyping) {
  app.params = { ...app.params, ...changes };
  history[isTyping ? "replaceState" : "pushState"](null, "", address());
  redraw();
}

function close() {
  if (!app.open) return;
  app.open = undefined;
  app.params.open = undefined;
  history.pushState(null, "", address());
  redraw();
}

// The frame

let scheduled = false;
/** Draws once before the next frame. A hidden tab has no frames, and so does nothing. */
function redraw() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(draw);
}

function draw() {
  scheduled = false;
  const view = VIEWS[app.view];
  need([...view.needs(app), ...(app.open ? record.needs(app.open) : []), HEALTH, METRICS, PROJECTS]);
  const before = root.dataset.open;
  render(root, [
    h("a.skip", { href: "#content", onclick: skip, key: "skip" }, "To the content"),
    header(),
    banner(),
    h("div.frame", { key: "frame" },
      h("main", { id: "content", tabindex: "-1", "aria-label": app.view, key: app.view }, h("h1.sr", title(app.view)), careful(() => view.view(app))),
      app.open && careful(() => record.view(app, app.open))),
    helpIsOpen && help(),
  ]);
  const project = plain(data(HEALTH)?.project);
  const number = now.needing();
  document.title = `${number ? `(${number}) ` : ""}${project ? cut(project, 60) + " · " : ""}flow`;
  root.dataset.open = app.open ? `${app.open.kind}/${app.open.id}` : "";
  if (before !== undefined && before !== root.dataset.open) moveFocus(before);
  if (app.first && view.needs(app).every((path) => resource(path).loadedAt)) {
    // The first cards are on the screen after this frame; the rest follows.
    app.first = false;
    requestAnimationFrame(() => setTimeout(redraw));
  }
}

/** What is on record may be of any shape. A view that cannot show it says so, and leaves the rest of the page as it is. */
function careful(make) {
  try {
    return make();
  } catch (error) {
    console.error(error);
    return empty("This view cannot show what is on record: ", String(error.message), ". The same data is at ", h("a", { href: "/api" }, "/api"), ".");
  }
}

const title = (view) => view[0].toUpperCase() + view.slice(1);

function header() {
  const search = (event) => set({ q: event.target.value }, true);
  return h("header.top", { key: "top" },
    project(),
    h("nav", { "aria-label": "Views" }, NAMES.map((name, at) => h("a", { href: `#${name}`, "aria-current": name === app.view && "page", title: `${title(name)} (${at + 1})`, key: name },
      title(name), name === "now" && now.needing() > 0 && h("span.badge", ` ${now.needing()}`)))),
    live(),
    h("input", { type: "search", id: "search", value: app.params.q ?? "", placeholder: "Search this view  /", "aria-label": "Search this view", oninput: search, autocomplete: "off", spellcheck: "false" }),
    h("button", { type: "button", class: "help", "aria-label": "Keys", title: "Keys (?)", onclick: toggleHelp }, "?"));
}

function project() {
  const own = plain(data(HEALTH)?.project);
  const others = (data(PROJECTS)?.projects ?? []).filter((one) => one.address && !one.current);
  const name = h("span.project", cut(own, 40) || "…");
  if (!others.length) return h("div.brand", h("b", "flow"), " / ", name);
  return h("div.brand", h("b", "flow"), " / ", h("details.menu", h("summary", { title: "Other projects that are being served" }, name),
    h("ul", others.map((one) => h("li", { key: one.address }, h("a", { href: one.address }, cut(plain(one.project), 60)))))));
}

/** How the page hears of changes, and how old the data is. */
function live() {
  const { state, how, since } = connection;
  const words = state === "lost" ? "not connected" : state === "live" ? "live" : "connecting";
  const means = how && how !== "stream" ? ` by ${how}` : "";
  return h("p", { class: `live ${state}`, role: "status", title: `${words}${means} since ${exact(since)}` },
    mark(state === "lost" ? "failed" : state), h("span", words),
    data(METRICS)?.timestamp && h("span.absent", "written ", age(data(METRICS).timestamp, " ago")));
}

/** What is wrong with all that is shown: no connection, or files whose last good content is shown. */
function banner() {
  document.body.classList.toggle("lost", connection.state === "lost");
  if (connection.state === "lost") {
    const at = resource(VIEWS[app.view].needs(app)[0]).at;
    return h("div.banner.bad", { role: "alert", key: "lost" }, mark("failed"), h("span", `No connection to the server since ${exact(connection.since).slice(11)}. `,
      at ? `What you see is of ${exact(at).slice(11)}. ` : "", "The page tries again by itself. To start the server: ", h("code", "flow api start")));
  }
  const bad = Object.values(data(HEALTH)?.sources ?? {}).filter((source) => DEGRADED.has(source.state));
  if (!bad.length || app.view === "problems") return null;
  return h("div.banner", { role: "alert", key: "degraded" }, mark("degraded"), h("span", bad.map((source) => [h("b", cut(plain(source.path), 120)), ` is ${source.state.replace("_", " ")}`,
    source.loaded_at ? ["; its content of ", age(source.loaded_at, " ago"), " is shown. "] : ". "]), h("a", { href: "#problems" }, "What to do")));
}

// Keys

const KEYS = [
  ["1 … 7", "a view"], ["j, k or ↓, ↑", "next and previous entry"], ["h, l or ←, →", "column of the board"], ["Enter", "open the entry"], ["Esc", "close the record, leave the search"],
  ["/", "search this view"], ["g", "group the board: by epic, by owner, not"], ["p", "pause the messages, or go on"], ["r", "ask for everything again"], ["?", "these keys"],
];

function help() {
  return h("dialog", { key: "help", "aria-label": "Keys", onclose: () => { helpIsOpen = false; redraw(); } },
    h("h2", "Keys"), h("dl.keys", KEYS.map(([key, what]) => [h("dt", h("kbd", key)), h("dd", what)])),
    h("p", h("button", { type: "button", onclick: toggleHelp }, "Close")));
}

function toggleHelp() {
  const dialog = document.querySelector("dialog");
  if (dialog) return dialog.close();
  helpIsOpen = true;
  opener = document.activeElement;
  draw();
  document.querySelector("dialog").showModal();
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content").focus();
}

/** The focus goes into a record that was opened, and back to its link when it is closed. */
function moveFocus(before) {
  if (app.open) {
    const from = document.activeElement;
    if (!from?.closest(".panel")) opener = from;
    const heading = document.getElementById("record-title");
    heading?.focus({ preventScroll: true });
    heading?.closest(".panel")?.scrollTo(0, 0);
    return;
  }
  const [kind, ...id] = before.split("/");
  const href = `#${kind}/${encodeURIComponent(id.join("/"))}`;
  const link = opener?.isConnected && opener !== document.body ? opener : [...document.querySelectorAll("main a")].find((a) => a.getAttribute("href") === href);
  (link ?? document.getElementById("content")).focus({ preventScroll: true });
}

const isShown = (el) => el.offsetParent !== null;
const target = (item) => item.querySelector("a, button");

/** A click anywhere on an entry opens it, where it does not end a selection of text. */
function pick(event) {
  const item = event.target.closest("[data-item]");
  if (item && !event.target.closest("a, button, dl, summary") && getSelection().isCollapsed) target(item)?.click();
}

/** Moves the focus by so many entries, within the column on the board. */
function step(by) {
  const here = document.activeElement?.closest("[data-item]");
  const within = document.activeElement?.closest("[data-column]") ?? document.querySelector("main");
  const items = [...within.querySelectorAll("[data-item]")].filter((item) => isShown(item) && target(item));
  const at = items.indexOf(here);
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1)];
  if (!next) return;
  target(next).focus();
  next.scrollIntoView({ block: "nearest" });
}

function sideways(by) {
  const columns = [...document.querySelectorAll("[data-column]")].filter((column) => column.querySelector("[data-item]"));
  const here = document.activeElement?.closest("[data-column]");
  const row = here ? [...here.querySelectorAll("[data-item]")].indexOf(document.activeElement.closest("[data-item]")) : 0;
  const next = columns[here ? columns.indexOf(here) + by : 0];
  const items = next ? [...next.querySelectorAll("[data-item]")] : [];
  const item = items[Math.min(Math.max(row, 0), items.length - 1)];
  if (item) target(item).focus();
}

function escape(typing) {
  if (typing) {
    document.activeElement.blur();
    document.getElementById("content").focus({ preventScroll: true });
  } else if (app.open) close();
  else if (app.params.q) set({ q: "" });
}

const ACTIONS = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  l: () => sideways(1), ArrowRight: () => sideways(1), h: () => sideways(-1), ArrowLeft: () => sideways(-1),
  "/": () => document.getElementById("search").focus(),
  "?": toggleHelp,
  r: () => refresh(),
  g: () => app.view === "board" && set({ group: { undefined: "epic", "": "epic", epic: "owner", owner: "" }[app.params.group] ?? "" }),
  p: () => app.view === "messages" && messages.pause(app),
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog")) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") return escape(typing);
  if (typing) return;
  const arrow = event.key.startsWith("Arrow");
  // Within the panel the arrows scroll, as everywhere where there is no list.
  if (arrow && (event.target.closest(".panel") || !document.querySelector("[data-item]") || (/Left|Right/.test(event.key) && app.view !== "board"))) return;
  const action = /^[1-7]$/.test(event.key) ? () => (location.hash = NAMES[event.key - 1]) : Object.hasOwn(ACTIONS, event.key) && ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

// The beginning

const SEEN = "flow-seen";
/** When this project was last looked at. Where the browser keeps nothing, that is not known. */
function lastLook() {
  try {
    app.since = localStorage.getItem(SEEN) ?? undefined;
  } catch {
    app.since = undefined;
  }
}

function noteLook() {
  try {
    localStorage.setItem(SEEN, new Date().toISOString());
  } catch {
    // The next look shows what happened lately.
  }
}

/** Whether a change of these paths concerns a resource. */
function concerns(paths) {
  if (!paths) return undefined;
  const changed = [...paths, "/api/activity"];
  return (path) => changed.some((one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}?`));
}

observe(() => { reached(); redraw(); }, lost);
onMore(redraw);
addEventListener("hashchange", () => { if (location.hash !== "#content") { read(); redraw(); } });
addEventListener("popstate", () => { read(); redraw(); });
addEventListener("keydown", press);
addEventListener("click", pick);
addEventListener("pagehide", noteLook);
document.addEventListener("visibilitychange", () => (document.hidden ? noteLook() : lastLook()));
setInterval(() => document.hidden || tickTimes(), TIMES);
lastLook();
read();
follow({ changed: (paths) => { refresh(concerns(paths)); redraw(); }, tick: () => refresh((path) => TIMELY.includes(path)), moved: redraw });
redraw();
