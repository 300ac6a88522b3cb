// The board as a graph: which open stories wait for which, from left to right, and what blocks most of them.
import { h, memo } from "./dom.js";
import { count, cut, num, plain } from "./text.js";
import { idLink, isWaiting, lookOf, mark, needsOf, numbers, part, recordHref } from "./parts.js";
import { order, place, reach } from "./layout.js";
import { fit, legend, markAt, picture } from "./picture.js";

// The most nodes (and rows of the table) and edges.
const [MOST, MOST_EDGES] = [300, 2000];
// The height of a node, the space between columns, rows and separate groups, the height of a bend; the width of nodes of few
// columns, of many, and on a phone.
const [HEIGHT, ACROSS, DOWN, BETWEEN, BEND, WIDE, NARROW, PHONE] = [40, 36, 10, 14, 12, 280, 188, 142];

const TITLE = "What waits for what";

const isOver = (story) => ["done", "dropped"].includes(lookOf(story.status));

// The picture of the stories that match the filters; `all` are those that they may wait for.
export const view = (app, stories, all, epics) => memo("graph", [all, epics, JSON.stringify({ ...app.params, open: "" })], () => h("div", draw(stories, all, epics)));

function draw(stories, all, epics = []) {
  const byId = new Map(all.map((story) => [plain(story.id), story]));
  const open = stories.filter((story) => !isOver(story));
  const nodes = connected(open, byId);
  const alone = open.filter(({ id }) => !nodes.has(plain(id))).length;
  // Also what the filters leave out waits for them.
  const every = order([...connected(all.filter((story) => !isOver(story)), byId).values()]);
  const blocked = new Map([...reach(every)].filter(([id]) => nodes.has(id)).sort((a, b) => b[1].length - a[1].length));
  const lead = blocksMost(blocked, nodes);
  if (!nodes.size) return picture(TITLE, h("p.empty", open.length ? "No open story waits for another one." : "No open story matches these filters."));
  const isByEpic = nodes.size > MOST || edgesOf(nodes) > MOST_EDGES;
  const drawn = isByEpic ? epicsOf(nodes, new Map(epics.map((epic) => [plain(epic.id), plain(epic.title)]))) : nodes;
  if (drawn.size > MOST || edgesOf(drawn) > MOST_EDGES) {
    return picture(TITLE, [lead, h("p.empty", `${count(nodes.size, "story", "stories")} in ${count(drawn.size, "epic")} wait for each other: too many to draw. Filter by epic, owner or status, or search.`)], table(nodes, blocked));
  }
  const [[top, held] = ["", []]] = isByEpic ? [] : blocked;
  const bold = new Set([top, ...held]);
  const { nodes: steps, edges, height } = place(order([...drawn.values()]), { node: HEIGHT + DOWN, bend: BEND, between: BETWEEN });
  const columns = Math.max(...steps.map((step) => step.column)) + 1;
  const wide = innerWidth < 480 ? PHONE : columns > 4 ? NARROW : WIDE;
  const back = edges.filter((edge) => edge.isBack).length;
  const words = [...new Set([...drawn.values()].map((node) => plain(node.story?.status)).filter(Boolean))].slice(0, 8);
  return picture(TITLE, [
    lead, isByEpic && h("p.foot", `${count(nodes.size, "story", "stories")}: drawn by epic. A click on one shows its stories.`),
    h("div.graph", { tabindex: "0", role: "group", "aria-label": "The picture; it scrolls" },
      h("svg", { width: columns * (wide + ACROSS) - ACROSS + 4, height: height + 4, "aria-hidden": "true" }, edges.map((edge) => line(edge, bold, wide)), h("marker", { id: "tip", refX: "7", refY: "4", markerWidth: "8", markerHeight: "8", markerUnits: "userSpaceOnUse", orient: "auto" }, h("path", { d: "M0 0 8 4 0 8z" })), steps.map((step) => box(step, blocked, top, wide)))),
    h("p.foot", "An arrow leads to what waits. ", legend(words), h("span.legend.silent", mark("silent"), h("span", "waits for another one")), back > 0 && h("span.cycle", ` ${count(back, "dashed line leads", "dashed lines lead")} back: these wait for each other.`)),
    h("p.foot", `Not drawn: ${count(alone, "open story", "open stories")} with no link to others; ${num(stories.length - open.length)} done or dropped.`),
  ], table(isByEpic ? drawn : nodes, blocked));
}

// The open stories that wait for something or that something waits for, and what they wait for beyond these.
function connected(open, byId) {
  const nodes = new Map();
  const chosen = new Map(open.map((story) => [plain(story.id), story]));
  const add = (id, needs = []) => {
    const story = chosen.get(id) ?? byId.get(id);
    const done = story ? needsOf(story, byId).filter((one) => byId.has(one) && lookOf(byId.get(one).status) === "done").length : 0;
    if (!nodes.has(id)) nodes.set(id, { id, story, needs: [], done, isOutside: !chosen.has(id) });
    if (needs.length) nodes.get(id).needs = needs;
  };
  for (const [id, story] of chosen) {
    const needs = [...new Set((story.waits_for ?? []).map(plain))].filter((one) => one && one !== id);
    if (needs.length) add(id, needs), needs.forEach((one) => add(one));
  }
  return nodes;
}

const edgesOf = (nodes) => [...nodes.values()].reduce((sum, node) => sum + node.needs.length, 0);

// The epics of stories as nodes: one needs another where any of its stories does.
function epicsOf(nodes, titles) {
  const epics = new Map();
  const epicOf = (node) => plain(node.story?.epic_id) || "no epic";
  for (const node of nodes.values()) {
    const id = epicOf(node);
    if (!epics.has(id)) epics.set(id, { id, title: titles.get(id) ?? "", number: 0, needs: [], isEpic: true });
    const epic = epics.get(id);
    epic.number++;
    for (const other of node.needs) if (epicOf(nodes.get(other)) !== id) epic.needs.push(epicOf(nodes.get(other)));
  }
  for (const epic of epics.values()) epic.needs = [...new Set(epic.needs)];
  return epics;
}

// What the most open stories wait for, directly or through others.
function blocksMost(blocked, nodes) {
  const first = [...blocked].slice(0, 3);
  return first.length > 0 && h("p.chain", h("b", "Blocks most: "), first.map(([id, held], at) => {
    const { story } = nodes.get(id);
    return [at > 0 && "; ", story ? idLink("story", id) : h("span.id", cut(id, 80)), ` blocks ${num(held.length)} (${story ? `${plain(story.status) || "no status"}, ${cut(plain(story.owner), 40) || "no owner"}` : "no record has this id"})`];
  }), ".");
}

const middle = (one) => one.y + one.height / 2 + 2;

function line({ from, to, isBack, bends }, bold, wide) {
  const xOf = (one) => one.column * (wide + ACROSS) + 2;
  const isBold = bold.has(to.node.id) && bold.has(from.node.id);
  let d = `M${xOf(from) + wide} ${middle(from)}`;
  let x = xOf(from) + wide;
  let y = middle(from);
  const curve = (toX, toY) => {
    const half = (x + toX) / 2;
    d += `C${half} ${y} ${half} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  };
  for (const bend of bends) curve(xOf(bend), middle(bend)), (d += `H${(x = xOf(bend) + wide)}`);
  if (isBack) d += `c40 ${HEIGHT} ${xOf(to) - x - 40} ${HEIGHT} ${xOf(to) - x} ${middle(to) - y}`;
  else curve(xOf(to), middle(to));
  return h("path", { key: `${from.node.id} ${to.node.id}`, d, "marker-end": "url(#tip)", class: isBack ? "edge back" : isBold ? "edge bold" : "edge" });
}

function box({ node, column, y }, blocked, top, wide) {
  const { id, story, done, isOutside, isEpic, number, title, needs } = node;
  const waits = needs.length > 0 && isWaiting(story?.status);
  const href = isEpic ? `#board?show=graph&epic=${part(id)}` : recordHref("story", id);
  const look = isEpic ? "epic" : story ? lookOf(story.status) : "unknown";
  const heading = isEpic ? title : story ? plain(story.title) : "no record has this id";
  const held = blocked.get(id)?.length;
  const facts = isEpic ? `${num(number)} open` : [held && `blocks ${num(held)}`, done && `${done} done`, cut(plain(story?.owner), 40)].filter(Boolean).join(" · ");
  const weight = id === top ? 600 : 400;
  const shown = fit(id, Math.max(60, wide / 2 - 28), "12px monospace");
  const name = `node ${look}${id === top ? " bold" : ""}${waits ? " waits" : ""}${isOutside ? " outside" : ""}`;
  return h("a", { key: id, class: name, href: (isEpic ? id !== "no epic" : story) && href, tabindex: "-1" }, h("title", `${cut(id, 200)}: ${cut(heading, 400)}${story ? `, ${plain(story.status) || "no status"}` : ""}${done ? `; ${done} of what it needs is done` : ""}`),
    h("svg", { x: column * (wide + ACROSS) + 2, y: y + 2, width: wide, height: HEIGHT },
      h("rect.frame", { x: "1", y: "1", width: wide - 2, height: HEIGHT - 2, rx: "3" }), h("rect.edge-left", { x: "1", y: "1", width: "4", height: HEIGHT - 2 }),
      story && markAt(waits ? "silent" : story.status, 11, 6),
      h("text.name", { x: story ? 28 : 11, y: "16" }, shown), h("text.who", { x: wide - 8, y: "16" }, fit(facts, wide - 48 - 7.3 * shown.length)),
      h("text.heading", { x: "11", y: "32" }, fit(heading, wide - 19, `${weight} 12px system-ui, sans-serif`))));
}

function table(nodes, blocked) {
  const blocks = new Map();
  for (const node of nodes.values()) for (const id of node.needs) blocks.set(id, [...(blocks.get(id) ?? []), node.id]);
  const list = (ids = []) => cut(ids.slice(0, 8).join(", ") + (ids.length > 8 ? ` and ${ids.length - 8} more` : ""), 400);
  const name = ({ id, story, isEpic, title }) => (isEpic ? `${id} ${cut(title, 80)}` : story ? idLink("story", id, `${id} ${cut(plain(story.title), 60)}`) : id);
  const rows = [...nodes.values()].slice(0, MOST).map((node) => [name(node), node.isEpic ? `${node.number} open` : node.story ? plain(node.story.status) : "no record", cut(plain(node.story?.owner), 40), list(node.needs), list(blocks.get(node.id)), blocked.get(node.id)?.length]);
  return numbers(TITLE, ["Story or epic", "Status", "Owner", "Waits for", "Blocks", "Blocks with all that follows"], rows);
}
