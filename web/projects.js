// The page of all projects of this user that are served: what needs you in any of them, the agents, how far each is.
import { h, render } from "./dom.js";
import { clock, count, cut, num, plain } from "./text.js";
import { age, bar, empty, limited, mark, onChange, rows, section, state, tickTimes } from "./parts.js";
import { agentRow, need } from "./now.js";
import { follow, isLocal, servers } from "./servers.js";

// How often relative times are brought up to date, in milliseconds.
const TIMES = 5000;
// Items of each kind that are shown at first, and agents and projects.
const OF_EACH_KIND = 3;
const [MOST_AGENTS, MOST_PROJECTS] = [12, 12];

const root = document.querySelector("#app");
const since = visit();
let isWhole = false;

// When this page was last looked at. Where the browser keeps nothing, that is not known.
function visit() {
  const leave = () => document.hidden && localStorage.setItem("flow-projects-seen", new Date().toISOString());
  try {
    const before = localStorage.getItem("flow-projects-seen") ?? undefined;
    localStorage.setItem("flow-projects-seen", before ?? new Date().toISOString());
    document.addEventListener("visibilitychange", leave);
    return before;
  } catch {
    return undefined;
  }
}

let scheduled = false;
function redraw() {
  if (!scheduled) requestAnimationFrame(draw);
  scheduled = true;
}

function draw() {
  scheduled = false;
  const all = servers();
  const live = all.filter((server) => server.told && server.state === "live");
  const number = live.reduce((sum, { told }) => sum + told.counts.total, 0);
  render(root, [
    h("a.skip", { href: "#content" }, "Skip to content"),
    header(all, live),
    h("div.frame", { key: "frame" }, h("main", { id: "content", tabindex: "-1" },
      isLocal ? null : empty("Through a proxy only this project is shown: the servers of the others are on the machine of the proxy."),
      projects(all), needs(live, number), agents(live))),
  ]);
  document.title = `${number ? `(${num(number)}) ` : ""}All projects · flow`;
}

function header(all, live) {
  const of = (word) => all.filter((server) => server.state === word).length;
  const [silent, gone] = [of("silent"), of("gone")];
  const words = [`${num(live.length)} served`, silent > 0 && `${num(silent)} cannot be read`, gone > 0 && `${num(gone)} gone`].filter(Boolean).join(", ");
  return h("header.top", h("div.brand", h("b", "flow"), " / ", h("h1", "All projects")),
    h("nav", { "aria-label": "Pages" }, h("a", { href: "/" }, `Back to ${cut(plain(all[0].name), 40) || "this project"}`)),
    h("p.live", mark(silent + gone ? "degraded" : live.length ? "live" : "connecting"), h("span", { role: "status" }, words)));
}

// What is on record may be of any shape. A row that cannot be shown says so; the rest of the page stays.
const careful = (make) => (one) => {
  try {
    return make(one);
  } catch (error) {
    return h("li.item", h("span.t", `${cut(plain(one.server?.name ?? one.name), 60)}: this cannot be shown: ${error.message}`));
  }
};

const pageOf = ({ url, name }) => h("a", { href: url }, cut(plain(name), 40) || "…");
// What is shown is of a list that is there: lists of `parts` ask for that.
const THERE = { data: true };

// The most urgent first: what needs you, who works, and last what cannot be read.
function projects(all) {
  const key = ({ state: word, told }) => (word === "live" && told ? [told.counts.total, working(told)] : [-1, 0]);
  const list = all.map((server) => [server, key(server)]).sort(([, a], [, b]) => b[0] - a[0] || b[1] - a[1]).map(([server]) => server);
  return section("Projects", all.length, rows("served", THERE, "projects", list, careful(project), "", MOST_PROJECTS),
    all.length === 1 && isLocal && h("p.foot", "No other project is served. To serve one: ", h("code", "flow api start"), " in its folder."));
}

const working = ({ agents }) => agents.filter((agent) => agent.state === "running").length;

function project(server) {
  const { url, base, state: word, told, why } = server;
  const isLive = word === "live" && told;
  const head = [h("span.s", state(isLive ? told.health.status : word)), h("span.i", isLive ? pageOf(server) : cut(plain(server.name), 40) || "…", base && h("span.count", ` ${base.slice(base.lastIndexOf(":"))}`))];
  if (!isLive) return h("li.item", { key: url }, head, h("span.bad", word === "connecting" ? "" : why));
  const { counts, metrics, total, changes } = told;
  const [done, all, noun] = metrics.stories.total ? [metrics.stories.completed, metrics.stories.total, "stories"] : [metrics.tasks.by_state.completed, metrics.tasks.total, "tasks"];
  return h("li.item", { key: url }, head,
    h("span.w", counts.total > 0 ? h("a", { href: `${url}#now` }, `${num(counts.total)} need${counts.total === 1 ? "s" : ""} you`) : h("span.absent", "nothing needs you")),
    h("span.n", { title: "agents" }, total > 0 ? `${num(working(told))} of ${num(total)} running` : h("span.absent", "no agents")),
    h("span.progress", all > 0 && bar("done", done / all, true)),
    h("span.c", all > 0 ? `${num(done)} of ${num(all)} ${noun} done` : h("span.absent", "no stories")),
    h("span.d", changes > 0 && h("a", { href: `${url}#activity`, title: `since your last visit, ${clock(Date.parse(since))}` }, count(changes, "new change"))),
    h("span.a", metrics.timestamp && ["files changed ", age(metrics.timestamp, " ago")]));
}

// A row of a project's own page, with its project after the state, and links that lead there.
function within(server, row) {
  const [head, ...rest] = row.kids;
  return { ...row, key: `${server.url} ${row.key}`, kids: [head, h("span.p", pageOf(server)), ...rest] };
}

// Of each server only some entries are kept.
const left = (number) => number > 0 && h("p.foot", `${num(number)} more are on the pages of their projects.`);

// The items of all projects, in the order of their kinds, the newest of each first.
function needs(live, number) {
  const kinds = Object.keys(live[0]?.told.counts ?? {});
  const all = live.flatMap((server) => server.told.items.map((item) => ({ server, item, place: kinds.indexOf(item.kind), since: plain(item.since) })));
  all.sort((a, b) => a.place - b.place || (a.since < b.since) - (a.since > b.since));
  const seen = {};
  const first = all.filter(({ item }) => (seen[item.label] = (seen[item.label] ?? 0) + 1) <= OF_EACH_KIND);
  const list = isWhole ? all : first;
  const make = careful(({ server, item }) => within(server, need(item, server.url)));
  const more = () => ((isWhole = !isWhole), redraw());
  const none = live.length ? "Nothing has failed in any project, and nothing is blocked, silent or unanswered." : "Loading.";
  return section("Needs you", number, list.length ? [h("ol.rows.needs", limited("needs", list, make)[0]), isWhole && limited("needs", list, make)[1]] : empty(none),
    all.length > first.length && h("button.more", { onclick: more, "aria-expanded": String(isWhole) }, isWhole ? "Only the newest of each kind" : `${num(all.length - first.length)} more`), left(number - all.length));
}

// Those who need you, those who work, the others.
const PLACES = { failed: 0, blocked: 0, asked: 0, running: 1, idle: 3, "no work": 3 };

function agents(live) {
  const all = live.flatMap((server) => server.told.agents.map((agent) => ({ server, agent })));
  const place = ({ agent }) => PLACES[agent.state] ?? 2;
  all.sort((a, b) => place(a) - place(b));
  const make = careful(({ server, agent }) => within(server, agentRow(agent, server.url)));
  const number = live.reduce((sum, { told }) => sum + told.total, 0);
  return section("Agents", number, all.length ? rows("agents", THERE, "agents", all, make, "", MOST_AGENTS) : empty("None yet."), left(number - all.length));
}

onChange(redraw, () => {});
setInterval(() => document.hidden || tickTimes(), TIMES);
follow({ changed: redraw, since });
draw();
