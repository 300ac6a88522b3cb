// How the plan moved, from git's commits and what the server saw: a burn-up in each row of the epics, open, done, added and removed
// for each day, the time in a status; as the API has them; hostile texts stay texts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { STATUS, TASKS } from "./bench.mjs";
import { inspect, texts } from "./hostile.mjs";

const DAY = 86400000;
const git = (bench, env, ...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: bench.given.root, env: { ...process.env, ...env } });

// Writes ten days of a plan as commits: one story more each day, the first of them done in the end, one removed.
function commits(bench) {
  git(bench, {}, "init", "-q");
  bench.write(".gitignore", ".flow/\n");
  for (let day = 10; day >= 1; day--) {
    const stories = {};
    for (let at = 1; at <= 11 - day; at++) stories[`US-${at}`] = { title: `Story ${at}`, status: at < 7 - day ? "done" : at === 9 ? "in-progress" : "ready", epic_id: at % 2 ? "EP-1" : "EP-2" };
    if (day < 3) delete stories["US-8"];
    bench.write(STATUS, { epics: { "EP-1": { title: "First" }, "EP-2": { title: "Second" }, "EP-3": { title: "Without stories" } }, stories });
    bench.write(TASKS, { tasks: {} });
    const at = new Date(Date.now() - day * DAY).toISOString();
    git(bench, {}, "add", "-A");
    git(bench, { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }, "commit", "-qm", "a day");
  }
}

export default async function (bench) {
  bench.flow("api", "stop");
  commits(bench);
  bench.flow("history", "import");
  bench.flow("api", "start", `PORT=${bench.given.port}`);
  for (const colorScheme of ["light", "dark"]) {
    const page = await bench.page({ colorScheme, bypassCSP: true });
    await page.addInitScript(() => {
      window.shift_ = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift_ += value))).observe({ type: "layout-shift", buffered: true });
    });
    for (const [view, selector] of [["epics", ".burnup"], ["activity", ".moved"]]) {
      await page.goto(`${bench.base}/#${view}`);
      await page.waitForSelector(selector, { state: "attached" });
      await bench.until(page, () => document.querySelectorAll(".rows li").length > 2);
      const shift = await page.evaluate(() => window.shift_);
      assert.ok(shift < 0.05, `${view}: layout shift ${shift}`);
      await page.evaluate(() => (document.querySelector("details.numbers").open = true));
      assert.deepEqual(await bench.axe(page, colorScheme), [], `${view}, ${colorScheme}`);
    }
    await page.context().close();
  }
  await epics(bench);
  await activity(bench);
  await hostile(bench);
}

const ask = async (bench, path) => (await fetch(bench.base + path)).json();

async function epics(bench) {
  const page = await bench.open("epics");
  await bench.until(page, () => document.querySelectorAll(".burnup").length === 2 && document.querySelectorAll(".epics li").length === 3);
  // The epics of the demo are gone, with their stories.
  const known = (await ask(bench, "/api/history?per=epic")).epics.filter(({ id }) => /^EP-\d$/.test(id));
  assert.equal(known.length, 2);
  for (const { id, buckets } of known) {
    const row = page.locator(".epics li", { has: page.locator(`a:text-is("${id}")`) });
    const heights = (name) => row.locator(`.burnup rect.${name}`).evaluateAll((list) => list.map((rect) => Number(rect.getAttribute("height"))));
    const most = Math.max(...buckets.map(({ open, done }) => open + done));
    const scaled = (valueOf) => buckets.map((bucket) => Number(((valueOf(bucket) / most) * 20).toFixed(1)));
    assert.deepEqual(await heights("whole"), scaled(({ open, done }) => open + done), id);
    assert.deepEqual(await heights("done"), scaled(({ done }) => done), id);
    const last = buckets.at(-1);
    assert.ok((await row.innerText()).includes(`${last.done} of ${last.open + last.done} done`), "the end of the burn-up is what the row says");
  }
  await page.locator(".numbers summary").click();
  assert.match(await page.locator(".numbers table").innerText(), /EP-1\s+\d{4}-\d\d-\d\d\s+\d+\s+\d+/);
  await page.context().close();
}

async function activity(bench) {
  const page = await bench.open("activity");
  await bench.until(page, () => document.querySelectorAll(".moved rect").length > 20);
  const answer = await ask(bench, "/api/history");
  assert.equal(answer.collection, "stories");
  await page.locator(".numbers summary").click();
  const rows = await page.locator("details.numbers tbody tr").evaluateAll((list) => list.map((row) => [...row.children].map((cell) => cell.innerText).join(" ")));
  assert.deepEqual(rows, answer.buckets.toReversed().map((one) => [one.from.slice(0, 10), one.open, one.done, one.added, one.removed, one.reopened, one.weakened].join(" ")));
  const lost = answer.buckets.filter(({ removed }) => removed > 0).length;
  assert.ok(lost > 0);
  assert.equal(await page.locator(".moved rect.bad").count(), lost, "what was removed is below the line");
  const stays = await page.locator("div.numbers").innerText();
  for (const { status, n } of answer.time_in_status.filter(({ status }) => status !== "done")) assert.match(stays, new RegExp(`${status}\\s+[\\d.]+ d\\s+[\\d.]+ d\\s+${n}`));
  // A change is seen.
  const status = JSON.parse(bench.read(STATUS));
  status.stories["US-99"] = { title: "Added now", status: "ready", epic_id: "EP-1" };
  bench.write(STATUS, status);
  const { open } = answer.buckets.at(-1);
  await bench.until(page, (text) => document.querySelector(".drawing").innerText.includes(text), `${open + 1} open now`);
  // With a filter by kind only the list is shown.
  await page.goto(`${bench.base}/#activity?change=removed`);
  await bench.until(page, () => !document.querySelector(".moved") && document.querySelector(".log li"));
  await page.context().close();
}

async function hostile(bench) {
  const epics = Object.fromEntries(texts.map((text, at) => [`EP-${at} ${text}`, { title: text, status: text }]));
  const stories = Object.fromEntries(texts.map((text, at) => [`US-${at}`, { title: text, status: at % 3 ? text : "done", epic_id: `EP-${at} ${text}` }]));
  bench.write(STATUS, { epics, stories });
  for (const width of [1280, 360]) {
    const page = await bench.page({ viewport: { width, height: 800 } });
    for (const [view, selector] of [["epics", ".epics"], ["activity", ".moved"]]) {
      await page.goto(`${bench.base}/#${view}`);
      await page.waitForSelector(selector);
      await bench.until(page, () => document.querySelectorAll(".rows li").length > 100);
      // Of epics without changes there is no table.
      await page.evaluate(() => document.querySelectorAll("details.numbers").forEach((one) => (one.open = true)));
      assert.deepEqual(await page.evaluate(inspect), [], `${view}, ${width} px`);
      assert.ok(!(await page.locator("main").innerText()).includes("This cannot be shown"));
    }
    await page.context().close();
  }
}
