// Ten thousand stories: how long until they are on the screen, and what an update costs the main thread.
import assert from "node:assert/strict";
import { STATUS } from "./bench.mjs";

const STORIES = 10000;
const STATUSES = ["ready", "in-progress", "blocked", "in-review", "done", "done", "done", "archived"];

function project() {
  const stories = {};
  for (let number = 1; number <= STORIES; number++) {
    stories[`US-${String(number).padStart(5, "0")}`] = {
      title: `Story ${number}: something that a reader of the shop wants to do with a basket`, epic_id: `EP-${number % 60}`, status: STATUSES[number % 8], owner: ["api", "ui", "ci", "qa"][number % 4],
      points: number % 8, description: "A text of the usual length that says what is wanted, and why, in a sentence or two.", depends_on: number % 5 ? [] : [`US-${String(number - 1).padStart(5, "0")}`],
    };
  }
  return { epics: {}, stories };
}

// Notes each frame and each long task, from the first script of the page on.
function watch() {
  window.frames_ = [];
  window.long_ = [];
  new PerformanceObserver((list) => window.long_.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))).observe({ entryTypes: ["longtask"] });
  window.shift_ = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift_ += value))).observe({ type: "layout-shift", buffered: true });
  const frame = (now) => { window.frames_.push([now, document.querySelectorAll(".card").length]); if (window.frames_.length < 2000) requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}

export default async function (bench) {
  const status = project();
  bench.write(STATUS, status);
  const warm = await bench.open("board");
  await bench.until(warm, (number) => document.querySelector(".sum")?.innerText.startsWith(number), "10,000");
  await warm.context().close();
  const opened = [];
  const page = await bench.page();
  await page.addInitScript(watch);
  for (let turn = 0; turn < 5; turn++) {
    await page.goto("about:blank");
    await page.goto(`${bench.base}/#board`);
    await bench.until(page, () => document.querySelectorAll(".card").length >= 200);
    // The frame after the one in which the first cards were made is the one that shows them.
    opened.push(await page.evaluate(() => window.frames_[window.frames_.findIndex(([, cards]) => cards > 0) + 1]?.[0] ?? performance.now()));
  }
  opened.sort((a, b) => a - b);
  bench.figure("page_10000_stories_shown_ms", opened[2]);
  const cards = await page.locator(".card").count();
  assert.ok(cards <= 200 * 6, `${cards} cards`);
  assert.equal(await page.locator(".column .more").count(), 6, "each full column has more to show");
  const shift = await page.evaluate(() => window.shift_);
  bench.figure("page_10000_stories_layout_shift_thousandths", shift * 1000);
  assert.ok(shift < 0.05, `layout shift ${shift}`);
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  let received = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => (received += encodedDataLength));
  const updates = [];
  const bytes = [];
  for (let turn = 0; turn < 7; turn++) {
    await page.evaluate(() => new Promise((done) => setTimeout(() => done((window.long_.length = 0)), 300)));
    received = 0;
    const title = `Changed at turn ${turn}`;
    status.stories["US-00001"].title = title;
    bench.write(STATUS, status);
    await bench.until(page, (title) => document.querySelector("main").innerText.includes(title), title);
    await page.waitForTimeout(200);
    bytes.push(received);
    updates.push(await page.evaluate(() => Math.max(0, ...window.long_.map(({ duration }) => duration))));
  }
  updates.sort((a, b) => a - b);
  bench.figure("page_10000_stories_update_longest_task_ms", updates[3]);
  bytes.sort((a, b) => a - b);
  bench.figure("page_10000_stories_update_kib_received", bytes[3] / 1024);
  // The list is more than 2 MiB.
  assert.ok(bytes[3] < 100_000, `${bytes} bytes for a change`);
  // More is a click away, and stays after an update.
  await page.locator(".column .more").first().click();
  await bench.until(page, () => document.querySelectorAll(".column")[0].querySelectorAll(".card").length >= 400);
  await page.context().close();
}
