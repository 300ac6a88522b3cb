// The last eight hours: a row for each agent, with its tasks from start to end and its messages.
import { h, memo } from "./dom.js";
import { ATTENTION, data } from "./data.js";
import { TIMES, ago, canonical, clock, count, cut, firstTime, plain, time } from "./text.js";
import { agentHref, idLink, lookOf, mark, numbers, part, recordHref, titleOf } from "./parts.js";
import { hoursBetween, legend, markAt, percent, picture } from "./picture.js";

const TITLE = "The last 8 hours";
const MINUTE = 60000;
const SPAN = 8 * 60 * MINUTE;
// Agents with a row, tasks of one at once, tasks of each list that is asked for, changes and messages that are.
const [AGENTS, AT_ONCE, TASKS, CHANGES, MESSAGES] = [12, 3, 200, 500, 1000];
// Ticks of messages in the whole span: those of three minutes are one.
const TICKS = 160;
// Heights: of a bar, of the ticks below, and of the width the narrowest bar, and the narrowest with its title within it.
const [BAR, TICK, NARROWEST, TITLED] = [20, 12, 0.006, 0.2];

// The hour in which the span began: addresses change once an hour.
const since = () => new Date(Math.floor((Date.now() - SPAN) / 3600000) * 3600000).toISOString();
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
  const until = Math.ceil(Date.now() / MINUTE) * MINUTE;
  const from = until - SPAN;
  const lanes = read(agents, [...ended.tasks, ...active.tasks], changes?.activity ?? [], messages.messages, from, until);
  if (!lanes.length) return null;
  const shown = lanes.slice(0, AGENTS);
  const axis = hoursBetween(from, until, 9);
  const wide = document.querySelector(".lanes svg")?.getBoundingClientRect().width || innerWidth - (innerWidth < 680 ? 130 : innerWidth / 3);
  const words = [...new Set(shown.flatMap((lane) => lane.bars.map((bar) => canonical(bar.word))))].sort();
  return picture(TITLE, [
    h("ol.lanes", h("li.axis", { "aria-hidden": "true", key: "axis" }, h("span"), scale(axis, wide)), shown.map((lane) => row(lane, axis, from, until, wide))),
    h("p.foot", legend(words), h("span.legend", "╷ message", h("span.asked", "?"), "question"), lanes.length > AGENTS && `${count(lanes.length - AGENTS, "more agent")}, see below`),
  ], numbers(TITLE, ["Agent", "Task", "State", "From", "To", "Time", "Messages"], shown.flatMap(cells)));
}

function read(agents, tasks, changes, messages, from, until) {
  const lanes = new Map(agents.map((agent) => [plain(agent.id), { agent, id: plain(agent.id), bars: [], ticks: new Map(), messages: 0 }]));
  const laneOf = (name) => lanes.get(plain(name));
  const changesOf = Map.groupBy(changes.filter((one) => one.field === "state" && one.how === "watched").reverse(), (one) => one.id);
  for (const task of new Map(tasks.map((one) => [one.id, one])).values()) {
    for (const bar of stretches(task, changesOf.get(task.id) ?? [], from, until)) if (bar.to > from && bar.from < until) laneOf(task.subagent_type)?.bars.push({ ...bar, kind: "task", id: task.id, title: titleOf(task) });
  }
  // An agent may work on a story alone.
  for (const { agent, bars } of lanes.values()) {
    const { doing } = agent;
    if (doing?.kind === "story") bars.push({ from: Number.isNaN(time(doing.since)) ? from : time(doing.since), to: until, word: plain(doing.status), isOpen: true, kind: "story", id: doing.id, title: plain(doing.title) });
  }
  // Nor is what is blocked always a task.
  const blockedFor = new Set(tasks.filter((task) => lookOf(task.state) === "blocked").map((task) => task.story_id));
  for (const { kind, id, title, since, agent } of data(ATTENTION)?.items ?? []) {
    const lane = laneOf(agent);
    if (lane && kind === "story_blocked" && !blockedFor.has(id)) lane.bars.push({ from: Number.isNaN(time(since)) ? from : time(since), to: until, word: "blocked", isOpen: true, kind: "story", id, title: plain(title) });
  }
  for (const message of messages) {
    const at = time(message.timestamp);
    const lane = laneOf(message.from);
    if (!lane || !(at > from && at <= until)) continue;
    const tick = Math.min(TICKS - 1, Math.floor(((at - from) / SPAN) * TICKS));
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
  const add = (word, to, more) => to >= at && found.push({ from: at, to, word: plain(word), ...more });
  for (const change of changes) {
    const moment = time(change.at);
    if (lookOf(change.from) === "running") add(lookOf(change.to) === "blocked" ? change.from : change.to, moment);
    else if (lookOf(change.from) === "blocked") add(change.from, moment);
    at = moment;
  }
  const look = lookOf(task.state);
  const updated = firstTime(task, TIMES.updated);
  if (look === "running") add(task.state, until, { isOpen: true });
  else if (look === "blocked") {
    if (!changes.length) {
      const blocked = firstTime(task, TIMES.blocked) ?? updated;
      if (started !== undefined && blocked > at) add("running", blocked);
      at = blocked ?? at;
    }
    add(task.state, until, { isOpen: true });
  } else if (!changes.length && look !== "open") {
    const ended = firstTime(task, TIMES.ended) ?? updated;
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
    // What goes on needs place for its title.
    const free = (room) => rows.findIndex((row) => row.at(-1).to <= bar.from - room);
    let place = free(bar.isOpen ? Math.max(0, TITLED * SPAN - (bar.to - bar.from)) : 0);
    if (place < 0) place = rows.length < AT_ONCE ? rows.length : free(0);
    if (place < 0) place = AT_ONCE;
    if (place === AT_ONCE) left++;
    else (rows[place] ??= []).push(bar);
  }
  return { ...lane, rows, left };
}

function row({ agent, id, rows, ticks, left, messages }, axis, from, until, wide) {
  const shareOf = (at) => Math.min(1, Math.max(0, (at - from) / (until - from)));
  const height = Math.max(1, rows.length) * BAR + (messages ? TICK : 0) + 2;
  const bars = rows.flatMap((bars, line) => bars.map((bar, at) => one(bar, shareOf, at ? shareOf(bars[at - 1].to) : 0, bars[at + 1] ? shareOf(bars[at + 1].from) : 1, line * BAR + 1, from, wide)));
  const marks = [...ticks].map(([at, tick]) => tickOf(at, tick, height));
  return h("li", { key: id },
    h("span.lane-name", mark(agent.state), h("a", { href: agentHref(agent), title: id.length > 14 && cut(id, 999) }, cut(id, 60)), left > 0 && h("span.count", `+${left}`)),
    h("svg", { height, "aria-hidden": "true" }, axis.map(({ share, at }) => h("line.grid", { key: at, x1: percent(share), x2: percent(share), y2: height })), bars, marks));
}

// A bar with its title in it, or where it is too narrow, on the side that has more place.
function one(bar, shareOf, before, next, y, from, wide) {
  const [start, end] = [shareOf(bar.from), shareOf(bar.to)];
  const width = Math.max(end - start, NARROWEST);
  const x = Math.min(start, 1 - width);
  const look = lookOf(bar.word);
  const [left, right] = [x - before, next - x - width];
  const isInside = width >= TITLED || width >= Math.max(left, right);
  const isLeft = !isInside && left > right;
  const [at, room] = isInside ? [x, width] : isLeft ? [before, left] : [x + width, right];
  const shape = look !== "running" || bar.isOpen;
  // The characters that fit, by the usual width of one.
  const fit = Math.floor((room * wide - (shape ? 26 : 12)) / 6.6);
  const title = cut(bar.title || plain(bar.id), Math.max(0, Math.min(fit, 120)));
  const length = bar.isOpen && fit - title.length > 24 && `${ago(bar.from)}, since ${clock(bar.from)}`;
  return memo(`${bar.id} ${bar.from}`, [x, width, at, room, bar.word, title, y, length], () => h("a", { href: recordHref(bar.kind, bar.id), tabindex: "-1", class: look }, h("title", describe(bar)),
    h("svg", { x: percent(x), y, width: percent(width), height: BAR - 2 },
      h("rect.back", { width: "100%", height: "100%" }), look === "blocked" && h("rect", { width: "100%", height: "100%", fill: "url(#hatch)" }),
      bar.from >= from && h("rect", { width: "2", height: "100%" }), !bar.isOpen && h("rect", { x: "100%", width: "2", height: "100%", transform: "translate(-2 0)" })),
    h("svg", { x: percent(at), y, width: percent(room), height: BAR - 2 }, shape && (isLeft ? h("g", { transform: "translate(-18 0)" }, markAt(bar.word, "100%", 3)) : markAt(bar.word, 6, 3)),
      h("text", isLeft ? { x: "100%", y: "13", dx: shape ? "-22" : "-6", "text-anchor": "end" } : { x: shape ? "22" : "6", y: "13" }, title, length && h("tspan", ` · ${length}`)))));
}

function tickOf(at, { number, isQuestion }, height) {
  const x = percent((at + 0.5) / TICKS);
  const title = h("title", count(number, "message") + (isQuestion ? ", with a question" : ""));
  return isQuestion ? h("text.tick.asked", { key: `m${at}`, x, y: height - 1 }, title, "?") : h("rect.tick", { key: `m${at}`, x, y: height - Math.min(TICK - 1, 3 + number * 2), width: "2", height: Math.min(TICK - 1, 3 + number * 2) }, title);
}

const describe = ({ title, id, word, from, to, isOpen }) => `${cut(title, 200) || plain(id)}: ${word}, ${clock(from)} to ${isOpen ? "now" : clock(to)}, ${ago(from, to)}`;

// The names of the hours, and the pattern that hatches what is blocked.
const scale = (axis, wide) => h("svg", { height: "18" },
  h("defs", h("pattern.blocked", { id: "hatch", width: "6", height: "6", patternUnits: "userSpaceOnUse" }, h("path", { d: "M-1 7 7-1M-1 1 1-1M5 7 7 5" }))),
  axis.map(({ at, share, name }, place) => share > 0.06 && (1 - share) * wide > 46 && h("text", { key: at, class: place % 2 && "every-other", x: percent(share), y: "12" }, name)), h("text.now", { x: "100%", y: "12" }, "now"));

function cells({ agent, id, bars, messages }) {
  const name = h("a", { href: agentHref(agent) }, cut(id, 200));
  if (!bars.length) return [[name, "none", "", "", "", "", messages]];
  return bars.map((bar, at) => [name, idLink(bar.kind, bar.id, bar.title || bar.id), bar.word, clock(bar.from), bar.isOpen ? "now" : clock(bar.to), ago(bar.from, bar.to), at === 0 ? messages : ""]);
}
