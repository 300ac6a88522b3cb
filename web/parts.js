// Parts that several views share: marks of states, times, links to records, lists that are cut, charts, empty states.
import { h } from "./dom.js";
import { HEALTH, PROBLEMS, data, resource } from "./data.js";
import { ago, canonical, count, cut, exact, num, plain, time } from "./text.js";

// Shapes in a box of 12 by 12: a state is known without its colour.
const SHAPES = {
  open: "M6 1.8a4.2 4.2 0 1 0 .01 0zm0 1.6a2.6 2.6 0 1 1-.01 0z",
  running: "M3 1.5v9l7.5-4.5z",
  review: "M6 .8 11.2 6 6 11.2.8 6zm0 2.3L3.1 6 6 8.9 8.9 6z",
  blocked: "M1.5 1.5h9v9h-9z",
  failed: "M2.6 1.2 6 4.6l3.4-3.4 1.4 1.4L7.4 6l3.4 3.4-1.4 1.4L6 7.4l-3.4 3.4-1.4-1.4L4.6 6 1.2 2.6z",
  done: "M4.5 10.4.9 6.8l1.4-1.4 2.2 2.2 5.2-5.2 1.4 1.4z",
  dropped: "M1.5 5h9v2h-9z",
  asked: "M1 1.5h10v6.5H6.5L3.5 10.5V8H1z",
  silent: "M1.5 5h2v2h-2zm3.5 0h2v2H5zm3.5 0h2v2h-2z",
  alert: "M6 .8 11.6 11H.4zM5.2 4.5v3.2h1.6V4.5zm0 4v1.4h1.6V8.5z",
  cycle: "M4 1v2h7v1.8H4v2L.5 3.9zM8 5.5v2H1v1.8h7v2l3.5-2.9z",
  bell: "M1.5 9h9l-1-2V4.5a3.5 3.5 0 0 0-7 0V7zM4.8 11h2.4",
  live: "M6 2a4 4 0 1 0 .01 0z",
  other: "M1.5 1.5h9v9h-9zm1.6 1.6v5.8h5.8V3.1z",
};

// The shape and hue of each canonical word. Any other word has a separate shape.
const LOOKS = {
  open: "ready queued todo open planned draft backlog new pending",
  running: "in-progress running active doing started",
  review: "in-review review testing",
  blocked: "blocked waiting unticked overlap",
  failed: "failed error gone removed",
  done: "done archived present ok added",
  dropped: "cancelled canceled dropped rejected wont-do wontfix deferred on-hold paused ended closed inactive stopped terminated missing none",
  asked: "asked question",
  silent: "silent idle changing connecting",
  live: "live",
  bell: "bell",
  alert: "weakened reopened contradiction not-read partly-read degraded invalid unreadable refused too-large suspicious skipped",
  cycle: "cycle changed",
};
const LOOK = new Map(Object.entries(LOOKS).flatMap(([look, words]) => words.split(" ").map((word) => [word, look])));

// The shape and hue of a word.
export const lookOf = (word) => LOOK.get(canonical(word)) ?? "other";

// Whether work on what has this state has not begun.
export const isWaiting = (word) => lookOf(word) === "open";

// The order in which states are listed; others follow as they are found.
export const STATUSES = ["blocked", "in-progress", "in-review", "ready", "done", "archived"];
export const STATES = ["running", "failed", "blocked", "queued", "completed", "cancelled"];

export function mark(word) {
  const look = lookOf(word);
  return h("svg", { class: `mark ${look}`, viewBox: "0 0 12 12", "aria-hidden": "true" }, h("path", { d: SHAPES[look] }));
}

// A state: its mark and its word, as it is on record.
export function state(word, title) {
  const text = plain(word);
  return h("span.state", { title: title ?? (text.length > 14 && text) }, mark(word), h("span", text ? cut(text, 40) : "none"));
}

// How long ago a time is, the exact one on hover. What is not a time is shown as it is.
export function age(value, suffix = "") {
  const text = plain(value);
  if (!text) return null;
  const at = time(value);
  if (Number.isNaN(at)) return h("span", { title: text }, cut(text, 24));
  return h("time", { datetime: new Date(at).toISOString(), "data-at": at, "data-suffix": suffix, title: exact(at) }, ago(at) + suffix);
}

export function tickTimes() {
  const now = Date.now();
  for (const el of document.querySelectorAll("time[data-at]")) {
    const text = ago(Number(el.dataset.at), now) + el.dataset.suffix;
    if (el.firstChild.data !== text) el.firstChild.data = text;
  }
}

// The kinds of records that have a panel, and where their lists are.
export const KINDS = { story: "stories", task: "tasks", epic: "epics", session: "sessions" };
const kindOf = new Map(Object.entries(KINDS).flatMap(([one, many]) => [[one, one], [many, one]]));

// The address of a record: shown over whatever view is open.
export const recordHref = (kind, id) => `#${kindOf.get(kind) ?? kind}/${part(id)}`;

// `story/US-0009` as a record; undefined for what is none.
export function parseRecord(text) {
  const [, kind, id] = /^(\w+)\/(.+)$/s.exec(text ?? "") ?? [];
  return Object.hasOwn(KINDS, kind ?? "") ? { kind, id } : undefined;
}

export function idLink(kind, id, label = id) {
  const text = plain(label);
  if (!kindOf.has(kind) || plain(id) === "") return h("span.id", cut(text, 80));
  return h("a.id", { href: recordHref(kind, id) }, cut(text, 80) || "(blank)");
}

// The address of an agent: its session, else its messages.
export const agentHref = ({ id, sessions = [] }) => (sessions.length ? recordHref("session", sessions[0]) : `#messages?from=${part(id)}`);

// A text in a list: cut, and whole on hover.
export function text(value, name, absent = "", most = 240) {
  const whole = plain(value);
  return whole ? h(`span.${name}`, { title: whole.length > 40 && cut(whole, 1000) }, cut(whole, most)) : h(`span.${name}.absent`, absent);
}

// The mark and word of a record's state, and its id as a link: how each row begins.
export const head = (kind, record, word) => [h("span.s", state(word)), h("span.i", idLink(kind, record.id))];

// The title of a record: stories and epics have a title, tasks a description, sessions a nickname.
export const titleOf = (record) => plain(record.title ?? record.description ?? record.nickname ?? record.name);

const PAGE = 200;
const shownOf = new Map();
let redraw = () => {};
let lost = () => {};
// Sets what draws again, and what runs where a module cannot be loaded.
export const onChange = (draw, fail) => ([redraw, lost] = [draw, fail]);

const modules = new Map();
// A module that is loaded when it is first needed; undefined until it is there. Where the server is gone, the next drawing tries again.
export function later(name) {
  if (!modules.has(name)) {
    modules.set(name, undefined);
    import(`./${name}.js`).then((loaded) => (modules.set(name, loaded), redraw()), () => (modules.delete(name), lost()));
  }
  return modules.get(name);
}
// Whether a module is on its way.
export const isLoading = () => [...modules.values()].includes(undefined);
export const fold = () => shownOf.clear();

export function limited(key, list, make, most = PAGE) {
  const shown = Math.max(most, shownOf.get(key) ?? 0);
  const rest = list.length - shown;
  const nodes = list.slice(0, shown).map(make);
  if (rest <= 0) return [nodes, null];
  const show = () => (shownOf.set(key, shown + PAGE), redraw());
  return [nodes, h("button.more", { key: "more", onclick: show }, `${num(Math.min(rest, PAGE))} more${rest > PAGE ? ` of ${num(rest)}` : ""}`)];
}

export function section(title, number, ...content) {
  return h("section", { key: title }, h("h2", title, typeof number === "number" && h("span.count", ` ${num(number)}`)), ...content);
}

// The files, each as a row of `make`: the four, or the plans that are read.
export function files(name, make) {
  const all = Object.entries(data(HEALTH)?.sources ?? {});
  const plans = all.filter(([, source]) => source.files !== undefined);
  const shown = plans.length ? all.filter(([, source]) => source.state !== "missing") : all;
  return section("Files", "", rows(name, resource(HEALTH), "the state of the files", shown, make, ""),
    plans.length > 0 && h("p.foot", `The plan is read from ${plans.map(([format]) => format).join(", ")}.`));
}

// How old a plan is that is an export.
export const exported = ({ exported_at: at }) => at && [", exported ", age(at, " ago")];

export const empty = (...content) => h("p.empty", ...content);

// The sources, or the one of that name.
const sources = (name) => Object.entries(data(HEALTH)?.sources ?? {}).filter(([own]) => own === (name ?? own)).map(([, source]) => source);
// A file whose current content is not shown.
export const isUnread = ({ state }) => lookOf(state) === "alert";
// Records with such problems may not be read as meant.
const DOUBTFUL = ["suspicious", "skipped"];
const doubts = (source) => DOUBTFUL.reduce((sum, level) => sum + (source[level] ?? 0), 0);

// How many problems of a source, or of all, need a look.
export const problemCount = (name) => sources(name).reduce((sum, source) => sum + isUnread(source) + doubts(source), 0);

// How many records and lines may not be read as meant. Of many problems only the newest are listed.
function doubtful() {
  const listed = data(PROBLEMS)?.problems.filter(({ level }) => DOUBTFUL.includes(level));
  if (!listed) return 0;
  const all = sources().reduce((sum, source) => sum + doubts(source), 0);
  return new Set(listed.map(({ source, id, line }) => `${source} ${id} ${line}`)).size + Math.max(0, all - listed.length);
}

const toProblems = (...content) => h("a", { href: "#problems" }, content);

// The files that cannot be read, and the number of records that may not be read as meant.
export function caveats() {
  const number = doubtful();
  const unread = sources().filter(isUnread).map(({ path, last_error: why, state, loaded_at: at }) => [toProblems(cut(plain(path), 120)), ` cannot be read: ${cut(plain(why ?? state), 400)}; `,
    at ? ["showing the version from ", age(at, " ago")] : "no valid version read yet", ". "]);
  return number > 0 ? [...unread, toProblems(`${count(number, "record")} may not be read as meant`)] : unread;
}

// What an empty list says: not that there are none where something of its source was not read.
export const nothing = (text, source) => empty(!data(HEALTH) ? "Loading." : problemCount(source) === 0 || text === NO_MATCH ? text
  : ["No entries. ", toProblems("Misread records"), " can be missing here."]);

// A bar of a share of its width, over the whole width in grey where that is wanted.
export function bar(look, share, whole) {
  const rect = (part) => ({ width: `${(part * 100).toFixed(2)}%`, height: "8" });
  return h("svg", { class: look, ...rect(1), "aria-hidden": "true" }, whole && h("rect.whole", rect(1)), h("rect", rect(share)));
}

const BARS = 12;
// Bars (so many at most) with their numbers: a table whose middle column is drawn. A row is {word, number, href}.
export function chart(caption, rows, unit) {
  const most = Math.max(1, ...rows.map((row) => row.number));
  const row = ({ word, number, href }) => h("tr", { key: word },
    h("th", { scope: "row" }, h("a", { href }, state(word))),
    h("td.bar", bar(lookOf(word), number && Math.max(number / most, 0.01))),
    h("td.number", num(number)));
  return h("table.chart", h("caption", caption),
    h("thead.sr", headsOf(["State", "Share", unit])),
    h("tbody", rows.slice(0, BARS).map(row), rows.length > BARS && h("tr", h("th", { scope: "row" }, count(rows.length - BARS, "other value")))));
}

const headsOf = (heads) => h("tr", heads.map((head) => h("th", { scope: "col" }, head)));

// A table; the first cell of a row is its head.
export const table = (heads, rows, caption) => h("table", caption && h("caption", caption), h("thead", headsOf(heads)),
  h("tbody", rows.map(([first, ...rest]) => h("tr", h("th", { scope: "row" }, first), rest.map((cell) => h("td", cell ?? ""))))));

// What a picture shows, as a table.
export const numbers = (caption, heads, rows) => h("details.numbers", { key: "numbers" }, h("summary", `${caption} as a table`),
  h("div.scroll", { tabindex: "0", role: "group", "aria-label": caption }, table(heads, rows)));

// Sorts the words of a tally: known ones in the order given, then the most frequent.
export function tally(counts, order) {
  const place = (word) => (order.includes(word) ? order.indexOf(word) : order.length);
  return Object.entries(counts ?? {}).filter(([, number]) => number > 0).map(([word, number]) => ({ word, number }))
    .sort((a, b) => place(a.word) - place(b.word) || b.number - a.number);
}

// The filters of a view: menus of [label, parameter, values, word for none], other controls, and how much is shown.
export function filters(app, menus, sum, ...more) {
  const menu = ([label, name, values, none = "all"]) => {
    const value = app.params[name] ?? "";
    const known = value && !values.includes(value) ? [value, ...values] : values;
    return h("label.field", { key: name }, h("span", label), h("select", { name, value, onchange: (event) => app.set({ [name]: event.target.value }) },
      h("option", { value: "" }, none), known.map((one) => h("option", { value: one, key: one }, cut(one, 60)))));
  };
  return h("form.filters", { role: "search", "aria-label": "Filters", onsubmit: () => false }, menus.map(menu), more, h("span.sum", { role: "status" }, sum));
}

// The source of each list that has only one.
const SOURCES = { epics: "status", tasks: "tasks" };

export function rows(name, entry, what, list, make, none, most) {
  const [nodes, more] = limited(name, list, make, most);
  return [trouble(entry, what) ?? (list.length ? h(`ol.rows.${name}`, nodes) : nothing(none, SOURCES[name])), more];
}

// What a record waits for, in words.
export const waitsFor = (ids) => ids?.length > 0 && `waiting for ${ids.slice(0, 3).map((id) => cut(plain(id), 40)).join(", ")}${ids.length > 3 ? ` and ${ids.length - 3} more` : ""}`;

// The fields that name what a record needs, also what is completed, which `waits_for` leaves out. `blocks` names what needs it.
const NEEDS = "depends_on deps dependencies dependsOn blocked_by blockedBy".split(" ");
export const ids = (record, names) => names.flatMap((name) => record[name] ?? []).filter((one) => one && /string|number/.test(typeof one)).map(plain);
// What a record needs: what it waits for, as the API understands its fields; of the fields themselves, the ids of records,
// which may be completed, and reasons, which have no digit.
export const needsOf = (record, byId) => [...new Set([...(record.waits_for ?? []), ...ids(record, NEEDS).filter((id) => byId.has(id) || !/\d/.test(id))])];

// The distinct values of a field, sorted; at most 500.
export function values(list, name) {
  const found = new Set();
  for (const record of list) {
    const value = plain(record[name]);
    if (value) found.add(value);
    if (found.size === 500) break;
  }
  return [...found].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

// An arrow, and what it is called where it is read aloud.
export const to = () => [h("span", { "aria-hidden": "true" }, " → "), h("span.sr", " to ")];

export const NO_MATCH = "No matches.";

export const part = (value) => encodeURIComponent(plain(value).toWellFormed());

export function trouble(entry, what) {
  if (entry.data !== undefined) return null;
  return entry.error ? h("p.empty.bad", `${what}: ${entry.error}`) : empty("Loading.");
}

export const listed = (number, total, noun, many) => number === total ? count(total, noun, many) : `${num(number)} of ${count(total, noun, many)}`;
