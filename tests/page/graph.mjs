// The board as a graph: what is needed is left of what waits for it, no box covers another, what blocks most is bold and
// named, done ones are folded; cycles, unknown ids and stories outside of the filters are told apart; many stories are drawn by
// epic; ten thousand are placed in time; hostile texts stay texts.
import assert from "node:assert/strict";
import { STATUS } from "./bench.mjs";
import { inspect, texts } from "./hostile.mjs";

const GRAPH = "board?show=graph";
const story = (status, depends_on = [], more = {}) => ({ title: `Title ${status}`, status, owner: "api", epic_id: "EP-1", depends_on, ...more });

const stories = {
  "US-1": story("done"),
  "US-2": story("in-progress", ["US-1"]),
  "US-3": story("blocked", ["US-2"]),
  "US-4": story("ready", ["US-3", "US-2"]),
  "US-5": story("ready", ["US-4"], { epic_id: "EP-2" }),
  "US-6": story("ready", ["US-2"]),
  "US-7": story("ready"),
  "US-8": story("ready", ["US-404"]),
  "US-9": story("ready", ["US-10"]),
  "US-10": story("ready", ["US-9"]),
};

// The boxes and lines as they are on the screen.
function drawn() {
  const boxes = Object.fromEntries([...document.querySelectorAll(".graph .node")].map((node) => {
    const { left, right, top, bottom } = node.querySelector(".frame").getBoundingClientRect();
    return [node.querySelector(".name").textContent, { left, right, top, bottom, name: node.getAttribute("class"), facts: node.querySelector(".who").textContent, isWaiting: Boolean(node.querySelector(".mark.silent")) }];
  }));
  const lines = [...document.querySelectorAll(".graph .edge")].map((line) => {
    const whole = line.getTotalLength();
    const [from, to] = [line.getPointAtLength(0), line.getPointAtLength(whole)];
    return { from: from.x, to: to.x, name: line.getAttribute("class") };
  });
  return { boxes, lines };
}

const overlaps = (boxes) => {
  const list = Object.values(boxes);
  return list.some((a, at) => list.slice(at + 1).some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
};

export default async function (bench) {
  bench.write(STATUS, { epics: { "EP-1": { title: "First" }, "EP-2": { title: "Second" } }, stories });
  for (const colorScheme of ["light", "dark"]) {
    const page = await bench.page({ colorScheme, bypassCSP: true });
    await page.goto(`${bench.base}/#${GRAPH}`);
    await bench.until(page, () => document.querySelectorAll(".graph .node").length === 9);
    await page.evaluate(() => (document.querySelector(".numbers").open = true));
    assert.deepEqual(await bench.axe(page, colorScheme), [], colorScheme);
    await page.context().close();
  }
  await shape(bench);
  await many(bench);
  await hostile(bench);
}

async function shape(bench) {
  const page = await bench.open(GRAPH);
  await bench.until(page, () => document.querySelectorAll(".graph .node").length === 9);
  const { boxes, lines } = await page.evaluate(drawn);
  assert.deepEqual(Object.keys(boxes).sort(), ["US-10", "US-2", "US-3", "US-4", "US-404", "US-5", "US-6", "US-8", "US-9"], "neither done ones nor those that are alone");
  for (const [id, { depends_on }] of Object.entries(stories)) for (const needed of depends_on) {
    if (boxes[needed] && needed !== "US-10") assert.ok(boxes[needed].right < boxes[id].left, `${needed} is left of ${id}`);
  }
  assert.ok(!overlaps(boxes));
  const bold = Object.entries(boxes).filter(([, { name }]) => / bold/.test(name)).map(([id]) => id);
  assert.deepEqual(bold, ["US-2"]);
  assert.equal(lines.filter(({ name }) => / bold/.test(name)).length, 5, "what it blocks, also through others");
  assert.equal(lines.filter(({ name }) => / back/.test(name)).length, 1, "one line of the cycle leads back");
  assert.ok(lines.every(({ from, to, name }) => / back/.test(name) || from < to), "lines lead from left to right");
  assert.match(boxes["US-404"].name, /unknown/);
  assert.equal(boxes["US-2"].facts, "blocks 4 · 1 done · api", "what is done is folded");
  assert.deepEqual([boxes["US-4"].isWaiting, boxes["US-2"].isWaiting], [true, false]);
  assert.match(await page.locator(".chain").innerText(), /^Blocks most: US-2 blocks 4 \(in-progress, api\); US-3 blocks 2 \(blocked, api\); /);
  assert.match(await page.locator(".drawing").innerText(), /1 dashed line points back: these wait for each other/);
  assert.match(await page.locator(".drawing").innerText(), /Not drawn: 1 open story without dependencies; 1 done or dropped\./);
  assert.equal(await page.locator(".graph a:not([tabindex='-1'])").count(), 0);
  await page.locator(".numbers summary").click();
  assert.match(await page.locator(".numbers tr", { hasText: "US-4 Title" }).first().innerText(), /US-4 Title ready\s+ready\s+api\s+US-3, US-2\s+US-5\s+1/);
  // A box leads to its record; the record stays open when the plan changes, and the graph follows.
  await page.locator(".graph .node", { hasText: "US-3" }).click();
  await page.waitForSelector(".panel .lead");
  bench.write(STATUS, { stories: { ...stories, "US-4": story("done", ["US-3"]) } });
  await bench.until(page, () => document.querySelector(".chain").innerText.includes("US-2 blocks 2"));
  // A filter keeps what the chosen stories wait for.
  bench.write(STATUS, { stories });
  await page.goto(`${bench.base}/#${GRAPH}&epic=EP-2`);
  await bench.until(page, () => document.querySelectorAll(".graph .node").length === 2);
  assert.match((await page.evaluate(drawn)).boxes["US-4"].name, /outside/);
  await page.goto(`${bench.base}/#${GRAPH}&q=nothing has this`);
  await bench.until(page, () => document.querySelector("main").innerText.includes("No story matches these filters"));
  await page.context().close();
}

async function many(bench) {
  const all = {};
  for (let at = 1; at <= 10000; at++) all[`US-${at}`] = story(at % 2 ? "ready" : "in-progress", at % 3 && at > 1 ? [`US-${at - 1}`, `US-${Math.max(1, at - 7)}`] : [], { epic_id: `EP-${at % 250}` });
  bench.write(STATUS, { stories: all });
  const page = await bench.open("board");
  await bench.until(page, () => document.querySelectorAll(".card").length >= 200);
  await page.evaluate(() => {
    window.long_ = [0];
    new PerformanceObserver((list) => window.long_.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ["longtask"] });
  });
  const begun = Date.now();
  await page.evaluate((hash) => (location.hash = hash), `#${GRAPH}`);
  await bench.until(page, () => document.querySelectorAll(".graph .node").length === 250);
  bench.figure("page_graph_of_10000_shown_ms", Date.now() - begun);
  assert.match(await page.locator(".drawing").innerText(), /10,000 stories, drawn by epic/);
  // The time to place the most that is drawn, and to order all: the median of five.
  const times = await page.evaluate(async () => {
    const { order, place, reach } = await import("/web/layout.js");
    const nodes = (number, reach) => Array.from({ length: number }, (_, at) => ({ id: String(at), needs: at ? [1, 2, 3, 4, 5, 6].map((by) => String((at * 31 + by * 7919) % Math.min(at, reach))) : [] }));
    const median = (run) => Array.from({ length: 5 }, () => { const begun = performance.now(); run(); return performance.now() - begun; }).sort((a, b) => a - b)[2];
    const [all, most] = [nodes(10000, 9000), nodes(300, 300)];
    return [median(() => reach(order(all))), median(() => place(order(most), { node: 50, bend: 12, between: 14 }))];
  });
  bench.figure("page_graph_order_10000_ms", times[0]);
  bench.figure("page_graph_place_300_ms", times[1]);
  // An epic leads to its stories.
  await page.evaluate(() => document.querySelector(".graph .node").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })));
  await bench.until(page, () => /epic=EP-/.test(location.hash) && document.querySelector(".graph .node .name")?.textContent.startsWith("US-"));
  // Too many epics are not drawn: what to filter is said.
  for (const at in all) all[at].epic_id = `EP-${at}`;
  bench.write(STATUS, { stories: all });
  await page.evaluate((hash) => (location.hash = hash), `#${GRAPH}`);
  await bench.until(page, () => /too many to draw\. Filter by epic, owner or status, or search\./.test(document.querySelector(".drawing")?.innerText));
  await page.context().close();
}

async function hostile(bench) {
  const own = Object.defineProperties({}, Object.fromEntries(texts.map((text, at) => [text, { value: story(at % 2 ? "ready" : text, [texts[(at + 1) % texts.length], texts[(at * 7) % texts.length]], { title: text, owner: text, epic_id: text }), enumerable: true }])));
  bench.write(STATUS, { stories: own });
  for (const width of [1280, 360]) {
    const page = await bench.page({ viewport: { width, height: 800 } });
    await page.goto(`${bench.base}/#${GRAPH}`);
    await bench.until(page, () => document.querySelectorAll(".graph .node").length > 100);
    await page.evaluate(() => (document.querySelector(".numbers").open = true));
    assert.deepEqual(await page.evaluate(inspect), [], `${width} px`);
    assert.ok(!(await page.locator("main").innerText()).includes("This cannot be shown"));
    await page.context().close();
  }
}
