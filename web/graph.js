// The board as a graph: which open stories wait for which, from left to right, and what blocks most of them.
import { h, memo } from "./dom.js";
import { count, cut, num, plain } from "./text.js";
import { idLink, isWaiting, lookOf, mark, needsOf, part, recordHref } from "./parts.js";
import { order, place, reach } from "./layout.js";
import { fit, legend, markAt, picture } from "./picture.js";

// The most nodes (and rows of the table) and edges.
const [MOST, MOST_EDGES] = [300, 2000];
// The height of a node, the space between columns; the width of nodes of few columns, of many, and on a phone.
const [HEIGHT, ACROSS, WIDE, NARROW, PHONE] = [40, 36, 280, 188, 142];
// The heights of a node with the space below it, of a bend, and between separate groups.
const SIZE = { node: HEIGHT + 10, bend: 12, between: 14 };

const titled = (drawing, ...table) => picture("What waits for what", drawing, ...table);

// The picture of the stories that match the filters; `all` are those that they may wait for.
export const view = (app, stories, all, epics) => memo("graph", [all, epics, JSON.stringify({ ...app.params, open: "" })], () => h("div", draw(stories, all, epics)));

function draw(stories, all, epics = []) {
  const byId = new Map(all.map((story) => [plain(story.id), story]));
  const open = stories.filter(isOpen);
  const nodes = connected(open, byId);
  if (!nodes.size) return titled(h("p.empty", open.length ? "No open story waits for another." : "No open story matches these filters."));
  // Also what the filters leave out waits for them.
  const every = order([...connected(all.filter(isOpen), byId).values()]);
  const blocked = new Map([...reach(every)].filter(([id]) => nodes.has(id)).sort((a, b) => b[1].length - a[1].length));
  const lead = blocksMost(blocked, nodes);
  const isByEpic = isTooMany(nodes);
  const shown = isByEpic ? epicsOf(nodes, epics) : nodes;
  const steps = order([...shown.values()]);
  const table = [["Story or epic", "Status", "Owner", "Waits for", "Blocks", "Blocks in all"], steps.slice(0, MOST).map((step) => cells(step, blocked))];
  if (isTooMany(shown)) {
    return titled([lead, h("p.empty", `${count(nodes.size, "story", "stories")} in ${count(shown.size, "epic")} wait for each other: too many to draw. Filter by epic, owner or status, or search.`)], ...table);
  }
  const [[top, held] = ["", []]] = isByEpic ? [] : blocked;
  const bold = new Set([top, ...held]);
  const { edges, height } = place(steps, SIZE);
  const columns = Math.max(...steps.map(({ length }) => length));
  const wide = innerWidth < 480 ? PHONE : columns > 4 ? NARROW : WIDE;
  const back = edges.filter((edge) => edge.isBack).length;
  const alone = open.filter(({ id }) => !nodes.has(plain(id))).length;
  return titled([
    lead, isByEpic && h("p.foot", `${count(nodes.size, "story", "stories")}, drawn by epic. Click an epic to see its stories.`),
    h("div.graph", { tabindex: "0", role: "group", "aria-label": "Graph, scrollable" },
      h("svg", { width: columns * (wide + ACROSS) - ACROSS + 4, height: height + 4, "aria-hidden": "true" }, edges.map((edge) => line(edge, bold, wide)),
        h("marker", { id: "tip", refX: "7", refY: "4", markerWidth: "8", markerHeight: "8", markerUnits: "userSpaceOnUse", orient: "auto" }, h("path", { d: "M0 0 8 4 0 8z" })), steps.map((step) => box(step, blocked, top, wide)))),
    h("p.foot", "Arrows point to the stories that wait. ", legend(isByEpic ? [] : steps.flatMap(({ node }) => node.status ?? [])), h("span.legend.silent", mark("silent"), h("span", "waiting for another story")), back > 0 && h("span.cycle", ` ${count(back, "dashed line points", "dashed lines point")} back: these wait for each other.`)),
    h("p.foot", `Not drawn: ${count(alone, "open story", "open stories")} without dependencies; ${num(stories.length - open.length)} done or dropped.`),
  ], ...table);
}

const isOpen = ({ status }) => !/done|dropped/.test(lookOf(status));
const isTooMany = (nodes) => nodes.size > MOST || [...nodes.values()].reduce((sum, node) => sum + node.needs.length, 0) > MOST_EDGES;

// The open stories that wait for something or that something waits for, and what they wait for beyond these.
function connected(open, byId) {
  const nodes = new Map();
  const chosen = new Map(open.map((story) => [plain(story.id), story]));
  const add = (id) => {
    const story = byId.get(id);
    if (!nodes.has(id)) nodes.set(id, { id, needs: [], isOutside: !chosen.has(id), look: "unknown", title: "no record has this id", ...(story && factsOf(story, byId)) });
    return nodes.get(id);
  };
  for (const [id, story] of chosen) {
    const needs = [...new Set((story.waits_for ?? []).map(plain))].filter((one) => one && one !== id);
    if (needs.length) add(id).needs = needs, needs.forEach(add);
  }
  return nodes;
}

const factsOf = (story, byId) => ({
  kind: "story", title: plain(story.title), status: plain(story.status) || "no status", look: lookOf(story.status), owner: cut(plain(story.owner), 40), epic: plain(story.epic_id),
  done: needsOf(story, byId).filter((one) => lookOf(byId.get(one)?.status) === "done").length,
});

// The epics of stories as nodes: one needs another where any of its stories does.
function epicsOf(nodes, epics) {
  const titles = new Map(epics.map((epic) => [plain(epic.id), plain(epic.title)]));
  const ofEpic = Map.groupBy(nodes.values(), ({ epic }) => epic || "no epic");
  const epicOf = (id) => nodes.get(id).epic || "no epic";
  return new Map([...ofEpic].map(([id, list]) => {
    const needs = [...new Set(list.flatMap((node) => node.needs.map(epicOf)))].filter((one) => one !== id);
    return [id, { id, needs, kind: list[0].epic && "epic", look: "epic", title: titles.get(id) ?? "", status: `${num(list.length)} open` }];
  }));
}

// What the most open stories wait for, directly or through others.
function blocksMost(blocked, nodes) {
  const first = [...blocked].slice(0, 3);
  return first.length > 0 && h("p.chain", h("b", "Blocks most: "), first.map(([id, held], at) => {
    const { kind, status, owner, title } = nodes.get(id);
    return [at > 0 && "; ", idLink(kind, id), ` blocks ${num(held.length)} (${kind ? `${status}, ${owner || "no owner"}` : title})`];
  }), ".");
}

const leftOf = ({ column }, wide) => column * (wide + ACROSS) + 2;
const middleOf = ({ y, height }) => y + height / 2 + 2;

function line({ from, to, isBack, bends }, bold, wide) {
  let [x, y] = [leftOf(from, wide) + wide, middleOf(from)];
  let d = `M${x} ${y}`;
  if (isBack) d += `c40 ${HEIGHT} ${leftOf(to, wide) - x - 40} ${HEIGHT} ${leftOf(to, wide) - x} ${middleOf(to) - y}`;
  else for (const one of [...bends, to]) {
    const [left, middle] = [leftOf(one, wide), middleOf(one)];
    const half = (x + left) / 2;
    d += `H${x}C${half} ${y} ${half} ${middle} ${left} ${middle}`;
    [x, y] = [left + wide, middle];
  }
  const isBold = bold.has(to.node.id) && bold.has(from.node.id);
  return h("path", { d, "marker-end": "url(#tip)", class: isBack ? "edge back" : isBold ? "edge bold" : "edge" });
}

function box({ node, column, y }, blocked, top, wide) {
  const { id, kind, look, title, status, owner, done, needs, isOutside } = node;
  const held = blocked.get(id)?.length;
  const facts = look === "epic" ? status : [held && `blocks ${num(held)}`, done && `${done} done`, owner].filter(Boolean).join(" · ");
  const waits = needs.length > 0 && isWaiting(status);
  const name = fit(id, Math.max(60, wide / 2 - 28));
  return h("a", { key: id, class: `node ${look}${id === top ? " bold" : ""}${waits ? " waits" : ""}${isOutside ? " outside" : ""}`, href: kind && (kind === "epic" ? `#board?show=graph&epic=${part(id)}` : recordHref(kind, id)), tabindex: "-1" },
    h("title", `${cut(id, 200)}: ${cut(title, 400)}${status ? `, ${status}` : ""}${done ? `; ${count(done, "dependency", "dependencies")} done` : ""}`),
    h("svg", { x: leftOf({ column }, wide), y: y + 2, width: wide, height: HEIGHT },
      h("rect.frame", { x: "1", y: "1", width: wide - 2, height: HEIGHT - 2, rx: "3" }), h("rect", { x: "1", y: "1", width: "4", height: HEIGHT - 2 }),
      kind === "story" && markAt(waits ? "silent" : status, 11, 6),
      h("text.name", { x: kind === "story" ? 28 : 11, y: "16" }, name), h("text.who", { x: wide - 8, y: "16" }, fit(facts, wide - 48 - 7.3 * name.length)),
      h("text.heading", { x: "11", y: "32" }, fit(title, (wide - 19) * (id === top ? 0.88 : 1)))));
}

function cells({ node: { id, kind, title, status, owner, needs }, dependents }, blocked) {
  const list = (ids) => cut(ids.slice(0, 8).join(", ") + (ids.length > 8 ? ` and ${ids.length - 8} more` : ""), 400);
  return [idLink(kind, id, `${id} ${title}`), status, owner, list(needs), list(dependents.map((one) => one.node.id)), blocked.get(id)?.length];
}
