// The last eight hours: a row for each agent, with its tasks from start to end and its messages.
import { h } from "./dom.js";
import { ATTENTION, data } from "./data.js";
import { TIMES, ago, canonical, clock, count, cut, firstTime, plain, time } from "./text.js";
import { agentHref, idLink, lookOf, mark, part, recordHref, titleOf } from "./parts.js";
import { fit, legend, markAt, percent, picture, widthOf } from "./picture.js";

const MINUTE = 60000;
const HOUR = 60 * MINUTE;
const SPAN = 8 * HOUR;
// Agents with a row, tasks of one at once, tasks of each list that is asked for, changes and messages that are.
const [AGENTS, AT_ONCE, TASKS, CHANGES, MESSAGES] = [12, 3, 200, 500, 1000];
// Ticks of messages in the whole span: those of three minutes are one.
const TICKS = 160;
// Heights: of a bar, of the ticks below, and of the width the narrowest bar, and the narrowest with its title within it.
const [BAR, TICK, NARROWEST, TITLED] = [20, 12, 0.006, 0.2];
// The widths of what is beside a title, and of how long its bar goes on, in pixels.
const [BESIDE, LENGTH] = [28, 130];

// The hour in which the span began: addresses change once an hour.
const since = () => new Date(Math.floor((Date.now() - SPAN) / HOUR) * HOUR).toISOString();
export const needs = () => [
  `/api/tasks?state!=completed,cancelled,queued&sort=-updated_at&limit=${TASKS}`,
  `/api/tasks?state=completed,cancelled&sort=-updated_at&limit=${TASKS}`,
  `/api/activity?collection=tasks&limit=${CHANGES}&since=${part(since())}`,
  `/api/bus/messages?order=desc&limit=${MESSAGES}&fields=timestamp,from,type&since=${part(since())}`,
];

// The picture; undefined while something of it is missing, null where these hours have nothing.
export function view(agents) {
  const [active, ended, changes, messages] = needs().map(data);
  if (!active || !ended || !messages) return undefined;
  // A whole minute, so that what has not changed is not drawn again.
  const from = Math.ceil(Date.now() / MINUTE) * MINUTE - SPAN;
  const lanes = read(agents, [...ended.tasks, ...active.tasks], changes?.activity ?? [], messages.messages, from);
  if (!lanes.length) return null;
  const shown = lanes.slice(0, AGENTS);
  const hours = [];
  for (let at = new Date(from).setMinutes(60, 0, 0); at < from + SPAN; at += HOUR) hours.push({ at, place: (at - from) / SPAN });
  const wide = document.querySelector(".lanes svg")?.clientWidth || innerWidth * 0.66;
  return picture("The last 8 hours", [
    h("ol.lanes", h("li.axis", { "aria-hidden": "true", key: "axis" }, h("span"), axis(hours, wide)), shown.map((lane) => row(lane, hours, wide))),
    h("p.foot", legend(shown.flatMap((lane) => lane.bars.map((bar) => bar.word))), h("span.legend", "╷ message", h("span.asked", "?"), "question"), lanes.length > AGENTS && `${count(lanes.length - AGENTS, "more agent")}, see below`),
  ], ["Agent", "Work", "State", "From", "To", "Duration", "Messages"], shown.flatMap(cells));
}

function read(agents, tasks, changes, messages, from) {
  const until = from + SPAN;
  const placeOf = (at) => Math.min(1, Math.max(0, (at - from) / SPAN));
  const lanes = new Map(agents.map((agent) => [plain(agent.id), { agent, id: plain(agent.id), bars: [], ticks: new Map(), messages: 0 }]));
  const add = (agent, bar) => bar.to > from && bar.from < until && lanes.get(plain(agent))?.bars.push({ ...bar, title: bar.title || plain(bar.id), start: placeOf(bar.from), end: placeOf(bar.to) });
  const changesOf = Map.groupBy(changes.filter((one) => one.field === "state" && one.how === "watched").reverse(), (one) => one.id);
  for (const task of new Map(tasks.map((one) => [one.id, one])).values()) {
    for (const bar of stretches(task, changesOf.get(task.id) ?? [], from, until)) add(task.subagent_type, { ...bar, kind: "task", id: task.id, title: titleOf(task) });
  }
  // An agent may work on a story alone, and what is blocked is not always a task.
  const story = (agent, { id, title, since }, word) => add(agent, { from: Number.isNaN(time(since)) ? from : time(since), to: until, word: plain(word), isOpen: true, kind: "story", id, title: plain(title) });
  for (const { id, doing } of agents) if (doing?.kind === "story") story(id, doing, doing.status);
  const blockedFor = new Set(tasks.filter((task) => lookOf(task.state) === "blocked").map((task) => task.story_id));
  for (const item of data(ATTENTION)?.items ?? []) if (item.kind === "story_blocked" && !blockedFor.has(item.id)) story(item.agent, item, "blocked");
  for (const message of messages) {
    const at = time(message.timestamp);
    const lane = lanes.get(plain(message.from));
    if (!lane || !(at > from && at <= until)) continue;
    const tick = Math.min(TICKS - 1, Math.floor(placeOf(at) * TICKS));
    const { number = 0, isQuestion } = lane.ticks.get(tick) ?? {};
    lane.ticks.set(tick, { number: number + 1, isQuestion: isQuestion || canonical(message.type) === "question" });
    lane.messages++;
  }
  return [...lanes.values()].filter((lane) => lane.bars.length || lane.messages).map(packed);
}

// The stretches of work of a task: as its changes were seen, before those as it says itself. What ended is told by how it ended.
function stretches(task, seen, from, until) {
  const found = [];
  const changes = seen.filter((one) => one.change === "changed");
  const started = firstTime(task, TIMES.started) ?? (seen[0]?.change === "added" ? time(seen[0].at) : undefined);
  let at = started ?? from;
  const add = (word, to, isOpen) => to >= at && found.push({ from: at, to, word: plain(word), isOpen });
  for (const change of changes) {
    const [before, after] = [lookOf(change.from), lookOf(change.to)];
    const moment = time(change.at);
    if (before === "running" || before === "blocked") add(before === "blocked" || after === "blocked" ? change.from : change.to, moment);
    at = moment;
  }
  const look = lookOf(task.state);
  if (look === "blocked" && !changes.length) {
    const blocked = firstTime(task, [...TIMES.blocked, ...TIMES.updated]);
    if (started !== undefined && blocked > at) add("running", blocked);
    at = blocked ?? at;
  }
  if (look === "running" || look === "blocked") add(task.state, until, true);
  else if (!changes.length && look !== "open") {
    const ended = firstTime(task, [...TIMES.ended, ...TIMES.updated]);
    if (ended !== undefined) at = Math.min(started ?? ended, ended), add(task.state, ended);
  }
  return found;
}

// Puts the bars of an agent into rows, so that none covers another. What has no place is counted.
function packed(lane) {
  const rows = [];
  lane.bars.sort((a, b) => a.from - b.from || b.to - a.to);
  let left = 0;
  for (const bar of lane.bars) {
    const free = (room) => rows.findIndex((row) => row.at(-1).end <= bar.start - room);
    // What goes on needs place for its title.
    let place = free(bar.isOpen ? Math.max(0, TITLED - (bar.end - bar.start)) : 0);
    if (place < 0) place = rows.length < AT_ONCE ? rows.length : free(0);
    if (place < 0) left++;
    else (rows[place] ??= []).push(bar);
  }
  return { ...lane, rows, left };
}

function row({ agent, id, rows, ticks, left, messages }, hours, wide) {
  const height = Math.max(1, rows.length) * BAR + (messages ? TICK : 0) + 2;
  const bars = rows.flatMap((bars, line) => bars.map((bar, at) => drawn(bar, bars[at - 1]?.end ?? 0, bars[at + 1]?.start ?? 1, line * BAR + 1, wide)));
  return h("li", { key: id },
    h("span.lane-name", mark(agent.state), h("a", { href: agentHref(agent), title: id.length > 14 && cut(id, 999) }, cut(id, 60)), left > 0 && h("span.count", `+${left}`)),
    h("svg", { height, "aria-hidden": "true" }, hours.map(({ place }) => h("line.grid", { x1: percent(place), x2: percent(place), y2: height })), bars, [...ticks].map((one) => tick(one, height))));
}

// A bar between two others, with its title in it, or where it is too narrow, on the side that has more place.
function drawn(bar, before, next, y, wide) {
  const { kind, id, word, isOpen } = bar;
  const width = Math.max(bar.end - bar.start, NARROWEST);
  const x = Math.min(bar.start, 1 - width);
  const look = lookOf(word);
  const [left, right] = [x - before, next - x - width];
  const isInside = width >= TITLED || width >= Math.max(left, right);
  const room = (isInside ? width : Math.max(left, right)) * wide - BESIDE;
  const title = fit(bar.title, room);
  const length = isOpen && room - widthOf(title) > LENGTH && ` · ${ago(bar.from)}, since ${clock(bar.from)}`;
  const [at, end] = isInside ? [x, x + width] : left > right ? [Math.max(before, x - (widthOf(title + (length || "")) + BESIDE) / wide), x] : [x + width, next];
  const whole = { width: "100%", height: "100%" };
  return h("a", { key: `${id} ${bar.from}`, href: recordHref(kind, id), tabindex: "-1", class: look },
    h("title", `${cut(bar.title, 200)}: ${word}, ${clock(bar.from)} to ${ending(bar)}, ${ago(bar.from, bar.to)}`),
    h("svg", { x: percent(x), y, width: percent(width), height: BAR - 2 },
      h("rect.back", { ...whole }), look === "blocked" && h("rect", { ...whole, fill: "url(#hatch)" }),
      bar.start > 0 && h("rect", { width: "2", height: "100%" }), !isOpen && h("rect", { x: "100%", width: "2", height: "100%", transform: "translate(-2 0)" })),
    h("svg", { x: percent(at), y, width: percent(end - at), height: BAR - 2 }, markAt(word, 6, 3), h("text", { x: "22", y: "13" }, title, length)));
}

const ending = ({ to, isOpen }) => (isOpen ? "now" : clock(to));

function tick([at, { number, isQuestion }], height) {
  const x = percent((at + 0.5) / TICKS);
  const tall = Math.min(TICK - 1, 3 + number * 2);
  const title = h("title", count(number, "message") + (isQuestion ? ", with a question" : ""));
  return isQuestion ? h("text.tick.asked", { x, y: height - 1 }, title, "?") : h("rect.tick", { x, y: height - tall, width: "2", height: tall }, title);
}

// The names of the hours, and the pattern that hatches what is blocked.
const axis = (hours, wide) => h("svg", { height: "18" },
  h("defs", h("pattern.blocked", { id: "hatch", width: "6", height: "6", patternUnits: "userSpaceOnUse" }, h("path", { d: "M-1 7 7-1M-1 1 1-1M5 7 7 5" }))),
  hours.map(({ at, place }) => place > 0.06 && (1 - place) * wide > 46 && h("text", { x: percent(place), y: "12" }, clock(at, at))), h("text.now", { x: "100%", y: "12" }, "now"));

function cells({ agent, id, bars, messages }) {
  const name = h("a", { href: agentHref(agent) }, cut(id, 200));
  if (!bars.length) return [[name, "none", "", "", "", "", messages]];
  return bars.map((bar, at) => [name, idLink(bar.kind, bar.id, bar.title), bar.word, clock(bar.from), ending(bar), ago(bar.from, bar.to), at ? "" : messages]);
}
