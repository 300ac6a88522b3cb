// The message log, newest first, as it grows.
import { h } from "./dom.js";
import { METRICS, data, resource } from "./data.js";
import { count, cut, exact, matches, num, plain, time } from "./text.js";
import { NO_MATCH, age, filters, idLink, later, listed, nothing, to, trouble } from "./parts.js";

// Messages that are asked for at first, those that "more" adds, and the most that are shown.
const [FIRST, STEP, MOST] = [200, 400, 2000];

let limit = FIRST;
let paused;
// What is shown while more is being fetched.
let last;
let filtered = "";
const opened = new Set();

// The conditions of a request: without those of time, where they are not wanted.
const conditions = ({ from, to, type, story, since, until }, isTimed) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ from, to, type, story_id: story, ...(isTimed && { since, until }) })) if (value) query.set(name, value);
  // For the API, a plus is a plus.
  return query.toString().replaceAll("+", "%20");
};
const path = (params) => `/api/bus/messages?order=desc&limit=${limit}&${conditions(params, true)}`;

const picture = () => later("histogram");

export function needs(app) {
  const wanted = JSON.stringify({ ...app.params, q: "", open: "" });
  if (wanted !== filtered) [limit, paused, last, filtered] = [FIRST, undefined, undefined, wanted];
  const drawing = picture();
  const counts = data(METRICS) && drawing?.path(conditions(app.params), data(METRICS).bus);
  return [METRICS, counts, !paused && path(app.params)].filter(Boolean);
}

export function enter() {
  filtered = "";
  opened.clear();
}

export function pause(app) {
  paused = paused ? undefined : { path: path(app.params), data: data(path(app.params)), at: Date.now() };
  app.redraw();
}

export function view(app) {
  const entry = paused ?? { ...resource(path(app.params)) };
  last = entry.data ??= last;
  const bus = data(METRICS)?.bus;
  const { q } = app.params;
  const loaded = entry.data?.messages ?? [];
  const list = loaded.map((message, at) => ({ message, number: entry.data.total - entry.data.offset - at })).filter(({ message }) => matches(q, message));
  const named = (counts) => Object.keys(counts ?? {}).filter((name) => name !== "none");
  const receivers = [...new Set(loaded.map((message) => plain(message.to)).filter(Boolean))];
  const held = paused && `paused at ${exact(paused.at).slice(11)}` + (bus?.total > (paused.total ??= bus.total) ? `, ${count(bus.total - paused.total, "new message")}` : "");
  const found = entry.data && (q ? `${list.length} of the newest ${count(loaded.length, "message")} match` : listed(loaded.length, entry.data.total, "message"));
  return [
    filters(app, [["From", "from", named(bus?.by_sender)], ["To", "to", receivers], ["Type", "type", named(bus?.by_type)]], held || found,
      h("label.field", h("span", "Story"), h("input", { name: "story", value: app.params.story ?? "", size: 8, autocomplete: "off", onchange: (event) => app.set({ story: event.target.value.trim() }) })),
      h("button", { type: "button", "aria-pressed": String(Boolean(paused)), onclick: () => pause(app) }, paused ? "Resume" : "Pause")),
    spanOf(app),
    bus && !q && picture()?.view(app, conditions(app.params), bus),
    trouble(entry, "messages") ?? (list.length ? [h("ol.rows.messages", list.map((one) => row(app, one)))]
      : nothing(bus?.total ? NO_MATCH : "No messages yet: agents append them to docs/09-agents/bus/log.jsonl, one JSON object a line.", "bus")),
    entry.data && loaded.length < entry.data.total && !paused && (limit < MOST
      ? h("button.more", { onclick: () => { limit = Math.min(limit + STEP, MOST); app.redraw(); } }, `${STEP} older messages`)
      : h("p.foot", `The newest ${num(MOST)} are shown. For older ones, filter or use the API.`)),
  ];
}

// The span of time that was chosen, and how to leave it.
function spanOf(app) {
  const { since, until } = app.params;
  const end = (text) => (text ? exact(time(text)) : "now");
  return (since || until) && h("p.foot", `From ${since ? end(since) : "the beginning"} to ${end(until)}. `, h("button", { type: "button", onclick: () => app.set({ since: undefined, until: undefined }) }, "All times"));
}

// The text of a message: what its writer calls message or text; else its other fields.
export function said(message) {
  const text = message.message ?? message.text ?? message.summary ?? message.finding ?? message.content;
  if (plain(text)) return plain(text);
  const shown = new Set([message.timestamp, message.from, message.to, message.type, message.story_id].map(plain));
  const own = Object.entries(message).filter(([name, value]) => !KNOWN.has(name) && plain(value) && !shown.has(plain(value)));
  return own.map(([name, value]) => `${name}: ${plain(value)}`).join(", ");
}
const KNOWN = new Set("channel trace_id agent_teams seq".split(" "));

function row(app, { message, number }) {
  const text = said(message);
  const isOpen = opened.has(number);
  const toggle = () => { isOpen ? opened.delete(number) : opened.add(number); app.redraw(); };
  return h(isOpen ? "li.item.is-open" : "li.item", { key: number },
    h("span.a", age(message.timestamp)),
    h("span.w", h("b", cut(plain(message.from), 40) || "nobody"), plain(message.to) && [to(), cut(plain(message.to), 40)]),
    h("span.s", cut(plain(message.type), 40)),
    h("span.i", plain(message.story_id) && idLink("story", message.story_id)),
    h("button", { class: text ? "t" : "t absent", "aria-expanded": String(isOpen), onclick: toggle }, cut(text, isOpen ? 20000 : 300) || "no text"),
    isOpen && h("dl.fields", Object.entries(message).map(([name, value]) => [h("dt", name), h("dd", cut(plain(value), 20000) || "none")])));
}
