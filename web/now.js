// The first screen: who needs you, what the agents do, what happened since you last looked, what state the files are in.
import { h } from "./dom.js";
import { ATTENTION, HEALTH, METRICS, data, resource } from "./data.js";
import { clock, count, cut, matches, plain } from "./text.js";
import { NO_MATCH, STATES, STATUSES, age, chart, files, idLink, part, recordHref, rows, section, state, tally, text } from "./parts.js";
import { change } from "./lists.js";

const AGENTS = "/api/agents";
const activity = (since) => `/api/activity?limit=50&since=${part(since)}`;

export const needs = ({ since }) => [ATTENTION, AGENTS, activity(since), HEALTH, METRICS];

export function view(app) {
  const { q } = app.params;
  return h("div.split", h("div", attention(q), agents(q), happened(app, q)), h("div.side", files("files", file), numbers()));
}

// How many entries need somebody; undefined while that is not known.
export const needing = () => data(ATTENTION)?.counts?.total;

function attention(q) {
  const entry = resource(ATTENTION);
  const items = (entry.data?.items ?? []).filter((item) => matches(q, item.kind, item.id, item.title, item.reason, item.agent));
  const nobody = q ? NO_MATCH : "Nothing has failed, and nothing is blocked, silent or unanswered.";
  return section("Needs you", entry.data && (q ? items.length : needing()), rows("needs", entry, "what needs you", items, need, nobody, 50));
}

// What each kind of attention is called. A kind that is not here is shown as it is.
const WORDS = { question_unanswered: "asked", record_vanished: "vanished", dependency_cycle: "cycle", source_degraded: "degraded" };

function need(item) {
  const { kind, id, from, to, story_id: story } = item;
  // A question is no record: the story that it is about is, and so is who asked.
  const name = plain(id) || (plain(from) && `${plain(from)} → ${plain(to) || "all"}`);
  const record = { tasks: "task", stories: "story", status: "story", sessions: "session" }[item.collection ?? item.source];
  const href = kind === "source_degraded" ? "#problems" : id && record ? recordHref(record, id) : story ? recordHref("story", story) : `#messages?from=${part(from)}`;
  const reason = plain(item.reason);
  return h("li.item", { key: [kind, name, item.since, item.title].join(" ") },
    h("span.s", state(WORDS[kind] ?? plain(kind).replace(/^(task|story|session)_/, ""), plain(kind))),
    h("span.i", h("a.id", { href, title: name.length > 16 && cut(name, 999) }, cut(name, 80) || "no id")),
    text(item.title, "t", "no title"),
    text(reason && reason + (item.holds_up?.length ? `; blocks ${item.holds_up.length}` : ""), "n", "no reason given"),
    text((!id && story) || item.agent, "w", "", 40),
    h("span.a", age(item.since)));
}

function agents(q) {
  const entry = resource(AGENTS);
  const found = (entry.data?.agents ?? []).filter((agent) => matches(q, agent));
  const all = [true, false].flatMap((works) => found.filter((agent) => (doing(agent) !== IDLE) === works));
  const none = q ? NO_MATCH : "None yet: agents appear here when a session, task, story or message names them.";
  return section("Agents", entry.data && (q ? found.length : entry.data.total), rows("agents", entry, "agents", all, agentRow, none, 12));
}

const IDLE = "no work";
const WORK = ["failed", "blocked", "running", "waiting"];
// What an agent does, as its tasks, stories and sessions say, the most urgent first.
function doing({ tasks = {}, stories = [], sessions = [] }) {
  const found = WORK.find((name) => tasks[name]?.length);
  return found ?? (stories.length ? "in-progress" : sessions.length ? "idle" : IDLE);
}

function agentRow(agent) {
  const { id, tasks = {}, stories = [], sessions = [], questions = {}, last_message: last } = agent;
  const counts = WORK.filter((name) => tasks[name]?.length).map((name) => `${tasks[name].length} ${name}`).join(", ");
  const asked = questions.to?.length;
  const work = [...(tasks.running ?? []).map((one) => ["task", one]), ...stories.map((one) => ["story", one])];
  return h("li.item", { key: plain(id) },
    h("span.s", state(doing(agent), `from its tasks (${counts || "none"}), ${count(stories.length, "story", "stories")} in progress and ${count(sessions.length, "active session")}`)),
    h("span.i", h("a.id", { href: sessions.length ? recordHref("session", sessions[0]) : `#messages?from=${part(id)}` }, cut(plain(id), 60))),
    h("span.n", work.length ? work.slice(0, 2).map(([kind, one], at) => [at > 0 && ", ", idLink(kind, one)]) : h("span.absent", "nothing in progress"), work.length > 2 && `, ${work.length - 2} more`),
    h("span.w", counts, asked > 0 && [counts && ", ", h("span.asked", count(asked, "question"))]),
    last ? text(`“${plain(last.text) || plain(last.type)}”`, "t") : h("span.t.absent", "no messages"),
    h("span.a", age(agent.last_seen_at)));
}

function happened(app, q) {
  const entry = resource(activity(app.since));
  const list = (entry.data?.activity ?? []).filter((one) => matches(q, one.id, one.title, one.field, one.from, one.to));
  const title = app.since ? `Changes since your last visit (${clock(Date.parse(app.since))})` : "Recent changes";
  return section(title, "", rows("log", entry, "activity", list, change, q ? NO_MATCH : "No changes yet.", 20), h("p.foot", h("a", { href: "#activity" }, "All activity")));
}

// What agents write where, for files that are not there yet.
const WRITTEN = { status: "stories and epics", bus: "messages", sessions: "sessions", tasks: "tasks" };

function file([name, { path, state: word, records }]) {
  return h("li", { key: name },
    h("span.s", state(word)),
    h("span.t", h("a", { href: "#problems", title: plain(path) }, cut(plain(path).split("/").pop(), 60) || name)),
    h("span.a", word === "missing" ? `no ${WRITTEN[name] ?? "records"} yet` : count(records ?? 0, "record")));
}

function numbers() {
  const metrics = data(METRICS);
  if (!metrics) return null;
  const bars = (counts, order, link) => tally(counts, order).map((row) => ({ ...row, href: link + part(row.word) }));
  const { stories, tasks } = metrics;
  return section("Numbers", "",
    stories?.total > 0 && chart(`${count(stories.total, "story", "stories")}, ${metrics.completion_percent} % completed`, bars(stories.by_status, STATUSES, "#board?status="), "Stories"),
    tasks?.total > 0 && chart(count(tasks.total, "task"), bars(tasks.by_state, STATES, "#tasks?state="), "Tasks"));
}
