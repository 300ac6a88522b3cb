// Stories by status. Filters and grouping are in the address.
import { h, memo } from "./dom.js";
import { ATTENTION, data, resource } from "./data.js";
import { canonical, cut, matches, num, plain } from "./text.js";
import { STATUSES, empty, filters, isWaiting, later, limited, listed, mark, nothing, recordHref, trouble, values, waitsFor } from "./parts.js";

// Of ten thousand stories, what is drawn or searched is less than half of the bytes.
const storiesFor = ({ show }) => `/api/stories?fields=id,title,status,owner,epic_id,description,ready,waits_for${show ? ",depends_on" : ""}`;
const EPICS = "/api/epics";
// Cards of a column that are drawn in the first frame (the others follow at once), and where there are groups.
const [FIRST, GROUPED] = [12, 20];
// Most columns (other statuses share the last one, with their word on the card), and groups until more are asked for.
const [COLUMNS, GROUPS] = [12, 40];

export const needs = ({ params }) => [storiesFor(params), ...(params.group === "epic" || params.show ? [EPICS] : [])];

export function view(app) {
  const { params } = app;
  const entry = resource(storiesFor(params));
  const { q, epic, owner, status, group, show } = params;
  const all = entry.data?.stories ?? [];
  const wanted = status && canonical(status);
  const stories = all.filter((story) =>
    (!epic || plain(story.epic_id) === epic) && (!owner || plain(story.owner) === owner) &&
    (!wanted || (canonical(story.status) || "none") === wanted) && matches(q, story.id, story.title, story.description, story.owner));
  return [
    filters(app, [["Epic", "epic", values(all, "epic_id")], ["Owner", "owner", values(all, "owner")], ["Status", "status", columnsOf(all).map((column) => column.word)],
      show ? [] : ["Group by", "group", ["epic", "owner"], "nothing"], ["Show", "show", ["graph"], "columns"]].filter((menu) => menu.length), entry.data && listed(stories.length, all.length, "story", "stories")),
    trouble(entry, "stories") ?? (!stories.length ? none(all.length) : show ? later("graph")?.view(app, stories, all, data(EPICS)?.epics) ?? empty("Loading.") : board(app, stories, group)),
  ];
}

const none = (number) => number ? empty("No story matches these filters. ", h("a", { href: "#board" }, "Show all"))
  : nothing("No stories yet: agents write them to docs/09-agents/status.json.", "status");

function board(app, stories, group) {
  const columns = columnsOf(stories);
  const field = { epic: "epic_id", owner: "owner" }[group];
  const most = app.first ? FIRST : field && GROUPED;
  const reasons = new Map((data(ATTENTION)?.items ?? []).filter(({ kind }) => kind === "story_blocked").map(({ id, reason }) => [id, plain(reason)]));
  if (!field) return lanes(columns, stories, "", most, reasons);
  const titles = new Map((data(EPICS)?.epics ?? []).map((epic) => [epic.id, plain(epic.title)]));
  const groups = new Map();
  for (const story of stories) {
    const name = plain(story[field]);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(story);
  }
  const sorted = [...groups].sort(([a], [b]) => (a === "") - (b === "") || a.localeCompare(b, "en", { numeric: true }));
  return limited("groups", sorted, ([name, list]) => h("section", { key: name },
    h("h2", !name ? `no ${group}` : group === "epic" ? [h("a", { href: recordHref("epic", name) }, cut(name, 80)), " ", cut(titles.get(name) ?? "", 80)] : cut(name, 80),
      h("span.count", ` ${list.length}`)),
    lanes(columns, list, name, most, reasons)), app.first ? 6 : GROUPS);
}

// The statuses that occur, in the order of work, with the word that is on record.
function columnsOf(stories) {
  const found = new Map();
  for (const story of stories) {
    const name = canonical(story.status) || "none";
    if (!found.has(name)) found.set(name, { name, word: plain(story.status) || "none", number: 0 });
    found.get(name).number++;
  }
  const place = ({ name }) => (STATUSES.includes(name) ? STATUSES.indexOf(name) : STATUSES.indexOf("done") - 0.5);
  const columns = [...found.values()].sort((a, b) => place(a) - place(b) || b.number - a.number);
  if (columns.length <= COLUMNS) return columns;
  const [known, others] = [true, false].map((is) => columns.filter(({ name }) => STATUSES.includes(name) === is));
  return [...known, ...others.slice(0, COLUMNS - known.length - 1), { name: undefined, word: "other values" }];
}

function lanes(columns, stories, group, most, reasons) {
  const byName = new Map(columns.map((column) => [column.name, []]));
  for (const story of stories) (byName.get(canonical(story.status) || "none") ?? byName.get(undefined)).push(story);
  return h("div.board", { key: `lanes ${group}` }, columns.map(({ name, word }) => {
    const list = byName.get(name);
    const [cards, more] = limited(`${group} ${name}`, list, (story) => card(story, name, reasons.get(story.id)), most);
    return h("section", { key: name ?? "", class: list.length ? "column" : "column none", "data-column": true },
      h(group ? "h3.lane" : "h2.lane", mark(word), h("span", { title: word.length > 20 && word }, cut(word, 40)), h("span.count", ` ${num(list.length)}`)),
      h("ol", cards), more);
  }));
}

// `reason` is why a story is blocked, as far as that needs somebody.
function card(story, column, reason) {
  const { id, title, owner, epic_id: epic, status, ready, waits_for: waits } = story;
  const waiting = cut(reason || waitsFor(waits) || "", 80);
  return memo(id, [title, owner, epic, status, ready, waiting], () => {
    const heading = plain(title);
    return h("li.card.item",
      h("a", { href: recordHref("story", id) },
        h("span.id", cut(plain(id), 60)),
        heading ? h("span.title", cut(heading, 160)) : h("span.title.absent", "no title")),
      h("p", [plain(owner) || "no owner", plain(epic), column === undefined && plain(status)].map((word) => word && h("span", cut(word, 40))),
        column !== "done" && column !== "archived" && waiting && h("span.waits", waiting), ready === true && isWaiting(status) && h("span.is-ready", "ready to start")));
  });
}

