// The first screen: who needs you, what the agents do, what happened since you last looked, what state the files are in.
import { h } from "./dom.js";
import { ATTENTION, HEALTH, METRICS, WORKTREES, data, resource } from "./data.js";
import { canonical, clock, count, cut, matches, num, plain, time } from "./text.js";
import { NO_MATCH, STATES, STATUSES, age, agentHref, bar, chart, exported, files, head, later, part, recordHref, rows, section, state, tally, text, titleOf } from "./parts.js";
import { change } from "./lists.js";

const AGENTS = "/api/agents";
const activity = (since) => `/api/activity?limit=50&since=${part(since)}`;

// The open stories of a plan.
const OPEN = "/api/stories?status!=done,archived,cancelled&limit=200";
// Whether a plan of another tool is read and no agent is named: its progress takes their place.
const isPlan = () => data(AGENTS)?.total === 0 && Object.values(data(HEALTH)?.sources ?? {}).some(({ files }) => files !== undefined);

// The picture of the last hours is loaded after the first frame, with its place kept free.
const isPictured = ({ params }) => !params.q && data(AGENTS)?.total > 0;
const lanes = (app) => (!app.first && isPictured(app) ? later("lanes") : undefined);

// About as high as it will be: a line for each open task of an agent, three at most.
function space(agents) {
  const current = agents.filter(({ doing, last_seen_at: at }) => doing || Date.now() - time(at) < 8 * 3600000).slice(0, 12);
  const lines = ({ doing, tasks = {} }) => Math.min(3, Math.max(1, (tasks.running?.length ?? 0) + (tasks.blocked?.length ?? 0), doing ? 1 : 0));
  return current.length > 0 && section("The last 8 hours", "", h("svg", { width: "1", height: 88 + current.reduce((sum, agent) => sum + 20 * lines(agent) + 19, 0), "aria-hidden": "true" }));
}

// The other worktrees, where no agent is named: one works in each.
const trees = (q) => data(WORKTREES)?.count > 1 && later("worktrees")?.section(q);

function picture(app) {
  const { agents } = data(AGENTS);
  const drawn = lanes(app)?.view(agents);
  return drawn === undefined ? space(agents) : drawn;
}

export const needs = (app) => [ATTENTION, AGENTS, activity(app.since), HEALTH, METRICS, ...(isPlan() ? [OPEN] : lanes(app)?.needs() ?? [])];

export function view(app) {
  const { q } = app.params;
  const drawn = isPictured(app) && picture(app);
  return h("div.split", h("div", attention(app, q), isPlan() ? [trees(q), plan(q)] : isPhone ? [agents(q), drawn] : [drawn, agents(q)], happened(app, q)), h("div.side", files("files", file), numbers()));
}

// How many entries need somebody; undefined while that is not known.
export const needing = () => data(ATTENTION)?.counts?.total;

function attention(app, q) {
  const entry = resource(ATTENTION);
  const { kind } = app.params;
  const news = app.first ? undefined : later("news");
  const found = (entry.data?.items ?? []).filter((item) => matches(q, item.kind, item.id, item.title, item.reason, item.agent));
  const of = (name) => found.filter((item) => item.label === name);
  const kinds = [...new Set(found.map((item) => item.label))];
  const several = kinds.length > 1;
  // The newest of each kind, so that no kind displaces the others.
  const items = kind ? of(kind) : kinds.flatMap((name) => of(name).slice(0, several ? OF_EACH_KIND : MOST_ITEMS));
  const chips = several && h("p.chips", { role: "group", "aria-label": "Kinds" }, kinds.map((name) =>
    h("a.chip", { key: name, href: name === kind ? "#now" : `#now?kind=${part(name)}`, "aria-current": name === kind && "true" }, state(name), num(of(name).length))));
  const nobody = q || kind ? NO_MATCH : "Nothing has failed, and nothing is blocked, silent or unanswered.";
  const rest = several && !kind ? kinds.filter((name) => of(name).length > OF_EACH_KIND) : [];
  return section("Needs you", entry.data && (q ? found.length : needing()), chips, rows("needs", entry, "what needs you", items, (item) => need(item, "", news?.isNew(item)), nobody, MOST_ITEMS),
    rest.length > 0 && h("p.foot", rest.map((name, at) => [at > 0 && " · ", h("a", { href: `#now?kind=${part(name)}` }, `${num(of(name).length - OF_EACH_KIND)} more ${name}`)])));
}

// A phone first says what agents do, then when. Items shown of each of several kinds, and of one.
const isPhone = innerWidth < 480;
const OF_EACH_KIND = isPhone ? 1 : 3;
const MOST_ITEMS = 50;

// An item of what needs you, of the project whose page is at `base`.
export function need(item, base = "", isNew) {
  const { kind, id, from, to, story_id: story } = item;
  // A question is not a record: the story that it is about is, and so is who asked.
  const name = plain(id) || (plain(from) && `${plain(from)} → ${plain(to) || "all"}`);
  const record = { tasks: "task", stories: "story", status: "story", sessions: "session" }[item.collection ?? item.source];
  const href = base + (kind === "source_degraded" ? "#problems" : id && record ? recordHref(record, id) : story ? recordHref("story", story) : `#messages?from=${part(from)}`);
  const [reason, held] = [plain(item.reason), item.holds_up ?? []];
  return h("li.item", { key: [kind, name, item.since, item.title].join(" ") },
    h("span.s", state(plain(item.label ?? kind), plain(kind)), isNew && h("b.new", " new")),
    h("span.i", h("a.id", { href, title: name.length > 16 && cut(name, 999) }, cut(name, 80) || "no id")),
    text(item.title, "t", "no title"),
    text(reason && reason + (held.length ? `; blocks ${held.length > 1 ? held.length : plain(held[0])}` : ""), "n", "no reason given"),
    text((!id && story) || item.agent, "w", "", 40),
    h("span.a", age(item.since)));
}

function agents(q) {
  const entry = resource(AGENTS);
  const found = (entry.data?.agents ?? []).filter((agent) => matches(q, agent));
  const none = q ? NO_MATCH : "None yet: agents appear here when a session, task, story or message names them.";
  return section("Agents", entry.data && (q ? found.length : entry.data.total), rows("agents", entry, "agents", found, (agent) => agentRow(agent), none, 12));
}

function plan(q) {
  const entry = resource(OPEN);
  const found = (entry.data?.stories ?? []).filter((story) => matches(q, story.id, story.title, story.status));
  const isCurrent = ({ status }) => canonical(status) === "in-progress";
  found.sort((a, b) => isCurrent(b) - isCurrent(a));
  return section("Open in the plan", entry.data && (q ? found.length : entry.data.total), rows("plan", entry, "the plan", found, storyRow, q ? NO_MATCH : "Nothing is open.", 12));
}

function storyRow(story) {
  const { tasks_total: total, tasks_completed: done = 0 } = story;
  return h("li.item", { key: plain(story.id) }, head("story", story, story.status), text(titleOf(story), "t", "no title"),
    total > 0 && [h("span.n.progress", bar("done", done / total, true)), h("span.a", `${num(done)} of ${num(total)} done`)]);
}

export function agentRow(agent, base = "") {
  const { id, doing, more, tasks = {}, questions = {}, last_message: last } = agent;
  const counts = ["failed", "blocked", "waiting"].filter((name) => tasks[name]?.length).map((name) => `${tasks[name].length} ${name}`).join(", ");
  const asked = questions.to?.length;
  return h("li.item", { key: plain(id) },
    h("span.s", state(agent.state)),
    h("span.i", h("a.id", { href: base + agentHref(agent) }, cut(plain(id), 60))),
    doing ? h("span.n", h("a", { href: base + recordHref(doing.kind, doing.id), title: plain(doing.id) }, cut(plain(doing.title ?? doing.id), 120)), doing.since && [", for ", age(doing.since)], more > 0 && `, ${more} more`)
      : h("span.n.absent", "nothing in progress"),
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

function file([name, source]) {
  const { path, state: word, records } = source;
  const label = WRITTEN[name] ? plain(path).split("/").pop() : name;
  return h("li", { key: name },
    h("span.s", state(word)),
    h("span.t", h("a", { href: "#problems", title: plain(path) }, cut(label, 60) || name), exported(source)),
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
