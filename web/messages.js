// The message log, newest first, as it grows.
import { h } from "./dom.js";
import { METRICS, data, resource } from "./data.js";
import { clock, count, cut, exact, matches, num, plain, time } from "./text.js";
import { NO_MATCH, age, filters, idLink, listed, nothing, to, trouble } from "./parts.js";

// Messages that are asked for at first, those that "more" adds, and the most that are shown.
const [FIRST, STEP, MOST] = [200, 400, 2000];
const HOURS = 24;

let limit = FIRST;
let paused;
// What is shown while more is being fetched.
let last;
let filtered = "";
const opened = new Set();

const path = ({ from, to, type, story }) => {
  const query = new URLSearchParams({ order: "desc", limit: String(limit) });
  for (const [name, value] of Object.entries({ from, to, type, story_id: story })) if (value) query.set(name, value);
  // For the API, a plus is a plus.
  return `/api/bus/messages?${query.toString().replaceAll("+", "%20")}`;
};

export function needs(app) {
  const wanted = JSON.stringify({ ...app.params, q: "", open: "" });
  if (wanted !== filtered) [limit, paused, last, filtered] = [FIRST, undefined, undefined, wanted];
  return paused ? [METRICS] : [path(app.params), METRICS];
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
  const found = entry.data && (q ? `${list.length} of the newest ${count(loaded.length, "message")} have these words` : listed(loaded.length, entry.data.total, "message"));
  return [
    filters(app, [["From", "from", named(bus?.by_sender)], ["To", "to", receivers], ["Type", "type", named(bus?.by_type)]], held || found,
      h("label.field", h("span", "Story"), h("input", { name: "story", value: app.params.story ?? "", size: 8, autocomplete: "off", onchange: (event) => app.set({ story: event.target.value.trim() }) })),
      h("button", { type: "button", "aria-pressed": String(Boolean(paused)), onclick: () => pause(app) }, paused ? "Resume" : "Pause")),
    trouble(entry, "messages") ?? (list.length ? [hours(loaded, entry.data.total), h("ol.rows.messages", list.map((one) => row(app, one)))]
      : nothing(bus?.total ? NO_MATCH : "No messages yet: agents append them to docs/09-agents/bus/log.jsonl, one JSON object a line.", "bus")),
    entry.data && loaded.length < entry.data.total && !paused && (limit < MOST
      ? h("button.more", { onclick: () => { limit = Math.min(limit + STEP, MOST); app.redraw(); } }, `${STEP} older messages`)
      : h("p.foot", `The newest ${num(MOST)} are shown. Filter, or ask the API for older ones.`)),
  ];
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

// Messages by hour, of those that are loaded, up to the newest.
function hours(messages, total) {
  const times = messages.map((message) => time(message.timestamp)).filter((at) => !Number.isNaN(at));
  if (!times.length) return null;
  const HOUR = 3600000;
  const last = Math.floor(Math.max(...times) / HOUR);
  const counts = new Array(HOURS).fill(0);
  for (const at of times) {
    const place = HOURS - 1 - (last - Math.floor(at / HOUR));
    if (place >= 0) counts[place]++;
  }
  const most = Math.max(...counts);
  const label = (place) => clock((last - (HOURS - 1 - place)) * HOUR, last * HOUR);
  const of = messages.length < total ? `, of the newest ${num(messages.length)}` : "";
  return h("details.hours",
    h("summary", h("span", `Messages by hour${of}`), h("svg", { viewBox: `0 0 ${HOURS * 6} 24`, width: HOURS * 6, height: "24", "aria-hidden": "true", class: "running" },
      counts.map((number, at) => ({ at, height: Math.max((number / most) * 24, number ? 2 : 0.5) })).map(({ at, height }) => h("rect", { x: at * 6, width: "5", y: 24 - height, height }))),
      h("span.absent", `${label(0)} to ${label(HOURS - 1)}`)),
    h("table.chart", h("thead", h("tr", h("th", { scope: "col" }, "Hour from"), h("th", { scope: "col" }, "Messages"))),
      h("tbody", counts.map((number, at) => number > 0 && h("tr", { key: at }, h("th", { scope: "row" }, label(at)), h("td.number", number))))));
}
