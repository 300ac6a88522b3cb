// The views that are one list: epics, tasks, activity, problems.
import { h, memo } from "./dom.js";
import { HEALTH, PROBLEMS, data, resource } from "./data.js";
import { canonical, cut, matches, num, plain } from "./text.js";
import { NO_MATCH, STATES, age, bar, chart, exported, files, filters, head, idLink, isUnread, later, listed, lookOf, mark, nothing, part, problemCount, rows, section, state, tally, text, titleOf, trouble, values, waitsFor } from "./parts.js";

const same = (wanted, word) => !wanted || canonical(wanted) === canonical(word);

const EPICS = "/api/epics";

// The picture of how the plan moved.
const progress = () => later("progress");

export const epics = {
  needs: () => [EPICS, ...(progress() ? [progress().EPICS] : [])],
  view(app) {
    const entry = resource(EPICS);
    const all = entry.data?.epics ?? [];
    const { q, status } = app.params;
    const list = all.filter((one) => same(status, one.status) && matches(q, one.id, one.title, one.owner, one.goal));
    return [
      filters(app, [["Status", "status", values(all, "status")]], entry.data && listed(list.length, all.length, "epic")),
      rows("epics", entry, "epics", list, (record) => epic(record, progress()), all.length ? NO_MATCH : "No epics yet: agents write them to docs/09-agents/status.json."),
      list.length > 0 && progress()?.burnups(list),
    ];
  },
};

function epic(record, pictures) {
  const { stories_total: total, stories_completed: done } = record.progress ?? {};
  const isNamed = record.declared === false;
  return memo(record.id, [record.title, record.status, record.owner, total, done, pictures && data(pictures.EPICS)], () => h("li.item",
    head("epic", record, isNamed ? "undeclared" : record.status),
    h("span.n.progress", bar("done", total ? done / total : 0, true)),
    h("span.b", pictures?.burnup(record.id)),
    h("span.a", total ? h("a", { href: `#board?epic=${part(record.id)}` }, done === total && lookOf(record.status) !== "done" ? `all done, ${done} of ${total}` : `${done} of ${total} done`) : "no stories"),
    text(titleOf(record), "t", isNamed ? "mentioned in stories, not defined" : "no title"),
    text(record.owner, "w", "no owner", 40)));
}

const TASKS = "/api/tasks";

export const tasks = {
  needs: () => [TASKS],
  view(app) {
    const entry = resource(TASKS);
    const all = entry.data?.tasks ?? [];
    const { q, state: wanted, agent } = app.params;
    const order = new Map(STATES.map((word, at) => [canonical(word), at]));
    const place = (one) => order.get(canonical(one.state)) ?? 3.5;
    const list = all.filter((one) => same(wanted, one.state) && (!agent || plain(one.subagent_type) === agent) &&
      matches(q, one.id, one.description, one.title, one.story_id, one.subagent_type)).sort((a, b) => place(a) - place(b));
    const counts = tally(entry.data?.stats?.by_state, STATES).map((row) => ({ ...row, href: `#tasks?state=${part(row.word)}` }));
    return [
      filters(app, [["State", "state", counts.map((row) => row.word)], ["Agent", "agent", values(all, "subagent_type")]], entry.data && listed(list.length, all.length, "task")),
      h("div.split",
        h("div", rows("tasks", entry, "tasks", list, task, all.length ? NO_MATCH : "No tasks yet: agents write them to .flow/state/task-dependencies.json or .agileflow/state/task-dependencies.json.")),
        h("div.side", all.length ? chart("Tasks by state", counts, "Tasks") : null)),
    ];
  },
};

function task(record) {
  const waits = waitsFor(record.waits_for);
  const at = record.updated_at ?? record.created_at;
  const error = plain(record.error);
  return memo(record.id, [record.state, titleOf(record), record.subagent_type, record.story_id, waits, at, error], () => h("li.item",
    head("task", record, record.state),
    text(titleOf(record), "t", "no description"),
    h("span.n", { title: error.length > 40 && cut(error, 1000) }, plain(record.story_id) ? ["for ", idLink("story", record.story_id)] : null, waits && ` ${waits}`,
      error && [" ", h("span", { class: canonical(record.state) === "failed" && "bad" }, cut(error, 160))]),
    text(record.subagent_type, "w", "no agent", 40),
    h("span.a", age(at))));
}

const activityPath = ({ collection, change }) => `/api/activity?limit=500&collection=${part(collection)}&change=${part(change)}`;

export const activity = {
  needs: (app) => [activityPath(app.params), ...(progress()?.needs(app.params.collection) ?? [])],
  view(app) {
    const entry = resource(activityPath(app.params));
    const { q, collection, change: wanted } = app.params;
    const { activity: all = [], total, forgotten } = entry.data ?? {};
    const list = all.filter((one) => matches(q, one.id, one.title, one.field, one.from, one.to));
    return [
      filters(app, [["Kind", "collection", ["stories", "epics", "tasks", "sessions"]], ["Change", "change", ["added", "changed", "removed", "moved", "archived", "ticked", "unticked", "reworded"]]], entry.data && listed(list.length, total ?? all.length, "change")),
      !q && !wanted && progress()?.view(collection),
      rows("log", entry, "activity", list, change, q || collection || wanted ? NO_MATCH : "No changes yet."),
      forgotten > 0 && h("p.foot", `${num(forgotten)} older changes are no longer kept.`),
    ];
  },
};

// A change in one sentence, as the server words it.
export const summary = (one) => cut(plain(one.summary), 240);

export function change(one) {
  return h("li.item", { key: [one.at, one.collection, one.id, one.change, one.field].join(" ") },
    h("span.a", age(one.at)),
    h("span.i", idLink(one.collection, one.id)),
    h(one.effect ? "span.n.bad" : "span.n", one.effect && [mark(one.effect), " "], summary(one)),
    plain(one.summary).includes(`"${plain(one.title)}"`) ? h("span.t") : text(one.title, "t"));
}

const KEPT = "until then its last valid version, if any, is shown.";
const REMEDY = {
  missing: "Fine, unless agents should have written it.",
  changing: "It is being written; its last valid version is shown for a moment.",
  invalid: `Correct the file; ${KEPT}`,
  unreadable: `Grant this user read permission; ${KEPT}`,
  refused: `Put a regular file there, or a symlink inside the project; ${KEPT}`,
  too_large: `Make the file smaller, or raise the limit in your own config; ${KEPT}`,
};
// What the levels of problems are called, in their order.
const LEVELS = { invalid: "Files that cannot be read", suspicious: "Records that may not be read as meant", skipped: "Records and lines that are not shown", repaired: "Repaired records", note: "Notes" };

export const problems = {
  needs: () => [PROBLEMS, HEALTH],
  view(app) {
    const entry = resource(PROBLEMS);
    const { q, source } = app.params;
    const all = entry.data?.problems ?? [];
    const list = all.filter((one) => (!source || one.source === source) && matches(q, one.source, one.file, one.id, one.line, one.level, one.reason));
    const groups = Object.keys(LEVELS).map((level) => [level, list.filter((one) => one.level === level)]).filter(([, some]) => some.length);
    // Of many problems the answer has the newest.
    const repaired = Object.values(data(HEALTH)?.sources ?? {}).reduce((sum, source) => sum + source.repaired, 0);
    return [
      files("sources", file),
      all.length > 0 && filters(app, [["File", "source", values(all, "source")]], listed(list.length, Math.max(all.length, problemCount() + repaired), "problem")),
      groups.length ? groups.map(([level, some]) => section(LEVELS[level], some.length, rows("problems", entry, "problems", some, problem)))
        : section("Problems", "", trouble(entry, "problems") ?? nothing(all.length ? NO_MATCH : "No problems: every record and line was read unchanged.")),
    ];
  },
};

function file([name, source]) {
  return h("li", { key: name },
    h("span.s", state(source.state)),
    h("span.i", text(source.path, "id", name)),
    isUnread(source) ? text(source.last_error, "t.bad") : h("span.t", ["records", "suspicious", "skipped", "repaired"].map((word) => `${num(source[word])} ${word}`).join(", "), exported(source)),
    text(REMEDY[source.state], "n"),
    h("span.a", source.loaded_at ? age(source.loaded_at) : "never read"));
}

// Whether an id is that of a record: else it names a collection, or an entry without an id.
const IS_RECORD = /^(?!(stories|epics|tasks|sessions|messages)$).*[^\]]$/s;

function problem(one) {
  const kind = { status: /^EP-/.test(one.id) ? "epic" : "story", tasks: "task", sessions: "session" }[one.source];
  const { path } = data(HEALTH)?.sources?.[one.source] ?? {};
  const line = one.line ? `line ${one.line}` : "";
  return h("li.item", { key: [one.source, one.file, one.line, one.id, one.level, one.reason].join(" ") },
    h("span.s", state(one.level)),
    h("span.i", one.level === "invalid" ? [h("b", cut(plain(one.file ?? path), 120)), " ", line] : one.file ? h("b", cut(plain(one.file), 120) + (one.line ? `:${one.line}` : "")) : one.id === undefined ? line : idLink(IS_RECORD.test(one.id) && kind, one.id)),
    h("span.n", cut(plain(one.reason), 400)));
}
