// The picture of the last hours: each bar is where its times say, with shape, word and hatching; a change moves it; what is
// too much is counted; its module is loaded only with this view; nothing moves what is below; hostile texts stay texts.
import assert from "node:assert/strict";
import { BUS, SESSIONS, STATUS, TASKS } from "./bench.mjs";
import { inspect, texts } from "./hostile.mjs";

const HOUR = 3600000;
const ago = (hours) => new Date(Date.now() - hours * HOUR).toISOString();
const task = (agent, state, from, to, description, more) => ({ description, subagent_type: agent, state, created_at: ago(from + 0.1), started_at: ago(from), updated_at: ago(to), ...more });

function project() {
  return {
    "task-1": task("api", "completed", 6, 4, "Done in two hours", { completed_at: ago(4) }),
    "task-2": task("api", "running", 2, 0, "Goes on since two hours"),
    "task-3": task("api", "blocked", 3, 1, "Blocked since an hour", { blocked_at: ago(1) }),
    "task-4": task("ci", "failed", 7, 5, "Failed after two hours", { failedAt: ago(5) }),
    "task-5": task("ci", "queued", 7, 7, "Not begun"),
    "task-6": task("ui", "completed", 30, 20, "Done yesterday", { completed_at: ago(20) }),
    "task-7": task("ui", "running", 30, 0, "Goes on since yesterday"),
    "task-8": { description: "Says no time", subagent_type: "qa", state: "running" },
  };
}

const messages = [["api", 5, "note"], ["api", 3, "question"], ["lead", 0.5, "note"], ["lead", 20, "note"]];

function write(bench, tasks, lines) {
  bench.write(STATUS, { epics: {}, stories: {} });
  bench.write(SESSIONS, { sessions: {} });
  bench.write(BUS, lines.map(([from, hours, type]) => JSON.stringify({ timestamp: ago(hours), from, type, message: "text" }) + "\n").join(""));
  bench.write(TASKS, { tasks });
}

// The bars of an agent: text, class, and where they begin and end as hours ago.
function barsOf(name) {
  const row = [...document.querySelectorAll(".lanes li:not(.axis)")].find((li) => li.querySelector(".lane-name a").innerText === name);
  const whole = row?.querySelector(":scope > svg").getBoundingClientRect();
  const hours = (x) => Math.round(((whole.right - x) / whole.width) * 80) / 10;
  return [...row?.querySelectorAll("a[class]") ?? []].map((a) => {
    const back = a.querySelector(".back").getBoundingClientRect();
    return { name: a.querySelector("text").firstChild.data, look: a.getAttribute("class"), from: hours(back.left), to: hours(back.right), isHatched: Boolean(a.querySelector("[fill]")), isTitled: a.querySelector("title").textContent.length > 0 };
  });
}

const near = (found, wanted, what) => assert.ok(Math.abs(found - wanted) <= 0.1, `${what}: ${found} in place of ${wanted}`);

export default async function (bench) {
  write(bench, project(), messages);
  for (const colorScheme of ["light", "dark"]) {
    const page = await bench.page({ colorScheme, bypassCSP: true });
    await page.addInitScript(() => {
      window.shift_ = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift_ += value))).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(`${bench.base}/#now`);
    await bench.until(page, () => document.querySelectorAll(".lanes li").length === 6);
    const shift = await page.evaluate(() => window.shift_);
    assert.ok(shift < 0.05, `layout shift ${shift}`);
    bench.figure("page_now_layout_shift_thousandths", shift * 1000);
    await page.evaluate(() => (document.querySelector(".numbers").open = true));
    assert.deepEqual(await bench.axe(page, colorScheme), [], colorScheme);
    await page.context().close();
  }
  await drawn(bench);
  await changed(bench);
  await many(bench);
  await hostile(bench);
}

async function drawn(bench) {
  const page = await bench.page();
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${bench.base}/#board`);
  await bench.until(page, () => document.querySelector("p.live").innerText.includes("live") && document.querySelector("main .empty"));
  assert.ok(!asked.some((path) => /lanes|picture/.test(path)), "the picture is loaded when it is looked at");
  await page.goto(`${bench.base}/#now`);
  await bench.until(page, () => document.querySelectorAll(".lanes li").length === 6);
  assert.ok(asked.includes("/web/lanes.js") && asked.includes("/web/pictures.css"));
  const api = await page.evaluate(barsOf, "api");
  const wanted = [["Done in two hours", "done", 6, 4, false], ["Blocked since an hour", "running", 3, 1, false], ["Goes on since two hours", "running", 2, 0, false], ["Blocked since an hour", "blocked", 1, 0, true]];
  assert.deepEqual(api.map(({ name, look, isHatched }) => [name, look, isHatched]).sort(), wanted.map(([name, look, , , is]) => [name, look, is]).sort());
  for (const [name, look, from, to] of wanted) {
    const bar = api.find((one) => one.name === name && one.look === look);
    near(bar.from, from, `${name} begins`);
    near(bar.to, to, `${name} ends`);
    assert.ok(bar.isTitled);
  }
  const [failed, ...others] = await page.evaluate(barsOf, "ci");
  assert.deepEqual([failed.look, others.length], ["failed", 0], "what has not begun has no bar");
  near(failed.to, 5, "a time under another name");
  for (const [name, from] of [["ui", 8], ["qa", 0]]) {
    const bars = await page.evaluate(barsOf, name);
    assert.equal(bars.length, 1, name);
    near(bars[0].from, from, `${name} begins: before these hours, or when the server saw it`);
    near(bars[0].to, 0, name);
  }
  const ticks = (name) => page.locator(".lanes li", { has: page.locator(`a:text-is("${name}")`) }).locator(".tick").count();
  assert.deepEqual([await ticks("api"), await ticks("lead"), await ticks("ci")], [2, 1, 0]);
  assert.equal(await page.locator(".lanes text.tick").innerHTML().then((html) => html.endsWith("?")), true, "a question has its own sign");
  // The same as a table, of which all is text; no stop of the tab key within the picture.
  assert.equal(await page.locator(".lanes svg a:not([tabindex='-1'])").count(), 0);
  await page.locator(".numbers summary").click();
  const table = await page.locator(".numbers table").innerText();
  for (const words of ["Done in two hours", "completed", "2 h", "blocked", "failed", "now"]) assert.ok(table.includes(words), `${words}: ${table}`);
  // A bar leads to its record.
  await page.locator(".lanes a.failed").click();
  await page.waitForSelector(".panel .lead");
  assert.match(page.url(), /open=task%2Ftask-4$/);
  await page.context().close();
}

// A task that fails and begins again has two bars, since the server saw it.
async function changed(bench) {
  const tasks = project();
  const page = await bench.open("now");
  await bench.until(page, () => document.querySelectorAll(".lanes li").length === 6);
  for (const [state, look] of [["failed", "failed"], ["running", "running"]]) {
    tasks["task-2"] = { ...tasks["task-2"], state, updated_at: new Date().toISOString() };
    bench.write(TASKS, { tasks });
    await bench.until(page, (look) => [...document.querySelectorAll(".lanes a[class]")].some((a) => a.getAttribute("class") === look && a.querySelector("title").textContent.startsWith("Goes on since two hours")), look);
  }
  await bench.until(page, () => [...document.querySelectorAll(".lanes a[class]")].filter((a) => a.querySelector("title").textContent.startsWith("Goes on since two hours")).map((a) => a.getAttribute("class")).sort().join() === "failed,running");
  await page.context().close();
}

async function many(bench) {
  const tasks = {};
  for (let at = 0; at < 1500; at++) tasks[`task-${at}`] = task(`agent ${at % 30}`, ["running", "completed", "failed"][at % 3], 7 - (at % 7), (at % 7) / 9, `Task ${at}`);
  write(bench, tasks, Array.from({ length: 3000 }, (_, at) => [`agent ${at % 30}`, 7.9 - (at % 790) / 100, "note"]));
  const page = await bench.open("now");
  await bench.until(page, () => document.querySelectorAll(".lanes li").length === 13 && document.querySelector(".lanes").parentNode.innerText.includes("more agents"));
  const counts = await page.evaluate(() => [document.querySelectorAll(".lanes *").length, Math.max(...[...document.querySelectorAll(".lanes li > svg")].map((svg) => svg.getBoundingClientRect().height))]);
  assert.ok(counts[0] < 6000 && counts[1] <= 80, `elements and height: ${counts}`);
  assert.match(await page.locator(".lanes .count").first().innerText(), /^\+\d+$/, "what has no place is counted");
  await page.context().close();
}

async function hostile(bench) {
  const tasks = Object.fromEntries(texts.map((text, at) => [`task-${at} ${text}`, task(text, at % 2 ? "running" : text, at % 7, 0, text)]));
  write(bench, tasks, texts.map((text, at) => [text, at % 7, text]));
  for (const width of [1280, 360]) {
    const page = await bench.page({ viewport: { width, height: 800 } });
    await page.goto(`${bench.base}/#now`);
    await bench.until(page, () => document.querySelectorAll(".lanes li").length === 13);
    await page.evaluate(() => (document.querySelector(".numbers").open = true));
    assert.deepEqual(await page.evaluate(inspect), [], `${width} px`);
    assert.ok(!(await page.locator("main").innerText()).includes("This cannot be shown"));
    await page.context().close();
  }
}
