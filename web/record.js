// The panel of one record: all its fields as served, what it needs and what needs it, its history, its messages, its file.
import { h } from "./dom.js";
import { ATTENTION, HEALTH, PROBLEMS, data, resource } from "./data.js";
import { cut, num, plain, time } from "./text.js";
import { KINDS, age, empty, head, idLink, ids, isWaiting, limited, mark, needsOf, nothing, part, section, state, titleOf } from "./parts.js";
import { summary } from "./lists.js";
import { said } from "./messages.js";

const TIME = /(^|_)(at|time|timestamp|created|updated|completed|started|ended|closed|active|since|date)$/;
const SOURCE = { story: "status", epic: "status", task: "tasks", session: "sessions" };
const LINKS = { epic_id: "epic", story_id: "story", task_id: "task", story_ids: "story", stories: "story" };
// Messages and related records that are shown, and characters of a value until all is asked for.
const [MESSAGES, RELATED, LONG] = [50, 50, 2000];
// Characters of a value in the history; the whole text is its description.
const SHORT = 180;
let whole;

const listPath = (kind) => `/api/${KINDS[kind]}${kind === "session" ? "?active=all" : ""}`;
// `.` and `..` are ids too, but browsers resolve them in paths. Such a record is looked up in its list.
const isDots = ({ id }) => /^\.\.?$/.test(id);
const path = (open) => (isDots(open) ? listPath(open.kind) : `/api/${KINDS[open.kind]}/${part(open.id)}`);
const historyPath = (open) => open.kind !== "session" && !isDots(open) && `${path(open)}/history`;
const originPath = ({ id }) => `/api/origins/${part(id)}`;
const NONE = [];
const all = (kind) => data(listPath(kind))?.[KINDS[kind]] ?? NONE;

function find(open) {
  const answer = data(path(open));
  return Array.isArray(answer?.[KINDS[open.kind]]) && path(open) === listPath(open.kind) ? all(open.kind).find((one) => one.id === open.id) : answer;
}

function talk({ kind, id }, record) {
  const of = { story: ["story_id", id], task: ["story_id", plain(record?.story_id)], session: ["from", plain(record?.nickname) || id] }[kind];
  return of?.[1] && `/api/bus/messages?order=desc&limit=${MESSAGES}&${of[0]}=${part(of[1])}`;
}

export function needs(open) {
  const messages = talk(open, find(open));
  return [path(open), HEALTH, !isDots(open) && originPath(open), historyPath(open), ...(open.kind === "session" ? [] : [listPath("story"), listPath("task")]), messages].filter(Boolean);
}

export function view(app, open) {
  const entry = resource(path(open));
  const record = find(open);
  const panel = (...content) => h("aside.panel", { "aria-labelledby": "record-title", key: "panel" },
    h("div.head", h("h2", { id: "record-title", tabindex: "-1" }, h("span.id", `${open.kind} ${cut(open.id, 200)}`)),
      h("button.close", { onclick: app.close, "aria-label": "Close", title: "Close (Esc)" }, "×")), content);
  if (!record) return panel(empty(entry.status === 404 || entry.data ? `No ${open.kind} has this id: it was removed, or other records only refer to it.` : entry.error ?? "Loading."), past(open), messages(open));
  const status = open.kind === "task" ? "state" : "status";
  const { progress } = record;
  const reason = cut(plain(data(ATTENTION)?.items.find((item) => item.label === "blocked" && item.id === open.id && item.source === SOURCE[open.kind])?.reason), 200);
  return panel(
    h("p.lead", cut(titleOf(record), 1000) || h("span.absent", "no title")),
    h("p.facts", status in record ? state(record[status]) : `no ${status}`, reason, record.declared === false && "mentioned in stories, not defined",
      record.ready === true && isWaiting(record[status]) && "ready to start", progress && `${progress.stories_completed} of ${progress.stories_total} stories done`),
    problems(open), dependencies(open, record), members(open),
    section("Fields", "", h("dl.fields", Object.entries(record).map(([name, value]) => field(app, open, name, value)))),
    past(open), messages(open, record), origin(open));
}

function field(app, open, name, value) {
  const key = `${open.kind} ${open.id} ${name}`;
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== "object");
  const text = typeof value === "object" && value ? JSON.stringify(value, null, 2) : plain(value);
  const isCut = text.length > LONG && whole !== key;
  const one = (it) => (LINKS[name] && plain(it) ? idLink(LINKS[name], it) : plain(it));
  const content = text === "" ? (value === "" ? "empty text" : "null") : isCut ? cut(text, LONG)
    : isList ? h("ul", value.map((it) => h("li", one(it)))) : typeof value === "object" ? h("code", text) : one(value);
  return [h("dt", { key: `${name} name` }, cut(name, 200)), h("dd", { key: name, class: text === "" && "absent" }, content,
    TIME.test(name) && !Number.isNaN(time(value)) && [" (", age(value, " ago"), ")"],
    isCut && h("button.more", { onclick: () => { whole = key; app.redraw(); } }, `all ${num(text.length)} characters`))];
}

// What may not be read as meant in it, and what was repaired.
function problems({ kind, id }) {
  const found = data(PROBLEMS)?.problems.filter((one) => one.source === SOURCE[kind] && one.id === id) ?? [];
  return found.length > 0 && section("Problems", found.length, found.map(({ level, reason }) => h("p", state(level), " ", cut(plain(reason), 400))));
}

// What is known of its changes, the newest first: both values of each, one below the other.
function past(open) {
  const known = (historyPath(open) && data(historyPath(open))?.history) || NONE;
  const row = (one) => h("li.item", { key: [one.at, one.change, one.field, one.from, one.to].join(" ") },
    h("span.a", age(one.at)),
    h("span.s", one.effect && mark(one.effect)),
    h("span.t", summary(one), one.how !== "watched" && h("span.absent", ` ${HOW[one.how] ?? ""}`)),
    h("dl.fields", [["before", one.from], ["after", one.to]].map(([name, value]) => plain(value) && [h("dt", { key: name }, name), h("dd", { key: `${name} value`, title: plain(value).length > SHORT && cut(plain(value), LONG) }, cut(plain(value), SHORT))])));
  const [nodes, more] = limited(`${open.id} history`, [...known].reverse(), row, RELATED);
  return known.length > 0 && section("History", known.length, h("ul.rows.history", nodes), more);
}

const HOW = { checkout: "by git", while_stopped: "while no server ran", git: "in a commit" };

// For each list: its records by id, and which of them need and block an id. Made once, as it looks at each record.
const links = new WeakMap();
function linksOf(list) {
  if (links.has(list)) return links.get(list);
  const found = { byId: new Map(list.map((one) => [one.id, one])), need: new Map(), block: new Map() };
  const add = (map, needed, one) => needed.forEach((id) => map.set(id, [...(map.get(id) ?? []), one.id]));
  for (const one of list) {
    add(found.need, needsOf(one, found.byId), one);
    add(found.block, ids(one, ["blocks"]), one);
  }
  links.set(list, found);
  return found;
}

// What it needs and what needs it, as records on both sides say.
function dependencies(open, record) {
  if (open.kind !== "story" && open.kind !== "task") return null;
  const { byId, need, block } = linksOf(all(open.kind));
  const list = (title, own, others = []) => related(open, title, [...new Set([...own, ...others])].map((id) => byId.get(id) ?? { id, isUnknown: true }));
  return [list("Needs", needsOf(record, byId), block.get(open.id)), list("Needed by", ids(record, ["blocks"]), need.get(open.id))];
}

function members(open) {
  const [kind, field, title] = { epic: ["story", "epic_id", "Stories"], story: ["task", "story_id", "Tasks"] }[open.kind] ?? [];
  return kind && related({ kind, id: open.id }, title, all(kind).filter((one) => plain(one[field]) === open.id));
}

function related({ kind, id }, title, list) {
  const row = (one) => h("li.item", { key: one.id },
    one.isUnknown ? [h("span.s", state(/\d/.test(one.id) ? "no record" : "outside flow")), h("span.i")] : head(kind, one, kind === "task" ? one.state : one.status),
    h("span.t", cut(one.isUnknown ? one.id : titleOf(one), 200)));
  const [nodes, more] = limited(`${id} ${title}`, list, row, RELATED);
  return list.length > 0 && section(title, list.length, h("ul.rows.related", nodes), more);
}

function messages(open, record) {
  const from = talk(open, record);
  const answer = from && data(from);
  if (!answer) return null;
  const list = open.kind === "task" ? answer.messages.filter((message) => plain(message.task_id) === open.id) : answer.messages;
  return section("Messages", open.kind === "task" ? list.length : answer.total,
    list.length ? h("ol.talk", list.map((message, at) => h("li", { key: answer.total - at },
      h("p.facts", h("b", cut(plain(message.from), 40) || "nobody"), h("span", cut(plain(message.type), 40)), age(message.timestamp, " ago")), h("p", cut(said(message), 1000))))) : nothing("None.", "bus"),
    open.kind === "story" && answer.total > list.length && h("p.foot", h("a", { href: `#messages?story=${part(open.id)}` }, `All ${answer.total} messages`)));
}

function origin(open) {
  const source = data(HEALTH)?.sources?.[SOURCE[open.kind]];
  const { file, line } = (!isDots(open) && data(originPath(open))?.origins?.find((one) => one.collection === KINDS[open.kind])) || {};
  return section("Source", "", h("p", file ? h("span.id", `${plain(file)}:${line}`) : source ? [h("span.id", plain(source.path) + (line ? `:${line}` : "")), source.state !== "present" && ` (${source.state})`] : "unknown", ", ", h("a", { href: path(open) }, "as JSON")));
}
