// Changes on disk reach the screen; three tabs hold one stream; a server that went and came back is noticed; without a
// stream there are other ways; a hidden tab does nothing.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { BUS, STATUS } from "./bench.mjs";

export default async function (bench) {
  await latency(bench);
  await threeTabs(bench);
  await withoutStream(bench);
  await hidden(bench);
  await restart(bench);
}

async function latency(bench) {
  const page = await bench.open("board");
  await bench.until(page, () => document.querySelector(".live")?.innerText.includes("live") && document.querySelector(".card"));
  const times = [];
  for (let turn = 0; turn < 10; turn++) {
    const title = `Written at turn ${turn}`;
    // The page notes the moment at which the text is there, on the clock that this process has too.
    const seen = page.evaluate((title) => new Promise((done) => {
      const look = () => (document.body?.innerText.includes(title) ? done(Date.now()) : requestAnimationFrame(look));
      look();
    }), title);
    const status = JSON.parse(bench.read(STATUS));
    status.stories["US-0009"].title = title;
    const begun = Date.now();
    bench.write(STATUS, status);
    times.push((await seen) - begun);
    await new Promise((done) => setTimeout(done, 150));
  }
  times.sort((a, b) => a - b);
  bench.figure("page_change_on_screen_ms", times[times.length >> 1]);
  bench.figure("page_change_on_screen_slowest_ms", times.at(-1));
  await page.context().close();
}

const requestsOf = (page) => {
  const paths = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  return paths;
};

async function threeTabs(bench) {
  const context = await bench.browser.newContext();
  const seen = [];
  const pages = [];
  for (let tab = 0; tab < 3; tab++) {
    const page = await bench.page({}, context);
    seen.push(requestsOf(page));
    await page.goto(`${bench.base}/#messages`);
    await bench.until(page, () => document.querySelector(".live")?.innerText.includes("live") && document.querySelector(".messages li"));
    pages.push(page);
  }
  const streams = () => seen.map((paths) => paths.filter((path) => path === "/api/events").length);
  assert.equal(streams().reduce((sum, one) => sum + one), 1, `streams of each tab: ${streams()}`);
  appendFileSync(bench.path(BUS), JSON.stringify({ timestamp: new Date().toISOString(), from: "lead", type: "note", message: "to all three tabs" }) + "\n");
  for (const page of pages) await bench.until(page, () => document.body?.innerText.includes("to all three tabs"));
  // The tab that held the stream goes; another one takes it.
  const holder = streams().indexOf(1);
  await pages[holder].close();
  const rest = pages.filter((_, tab) => tab !== holder);
  const before = Date.now();
  while (streams().filter((one, tab) => tab !== holder && one > 0).length === 0) {
    assert.ok(Date.now() - before < 10000, "no other tab took the stream");
    await new Promise((done) => setTimeout(done, 20));
  }
  appendFileSync(bench.path(BUS), JSON.stringify({ timestamp: new Date().toISOString(), from: "lead", type: "note", message: "to the two that are left" }) + "\n");
  for (const page of rest) await bench.until(page, () => document.body?.innerText.includes("to the two that are left"));
  assert.equal(streams().reduce((sum, one) => sum + one), 2);
  bench.figure("page_streams_of_three_tabs", 1);
  await context.close();
}

async function withoutStream(bench) {
  for (const [name, refused] of [["long poll", ["/api/events"]], ["polling", ["/api/events", "/api/changes"]]]) {
    const page = await bench.page();
    await page.route((url) => refused.includes(url.pathname), (route) => route.fulfill({ status: 404, json: { error: "not here" } }));
    await page.goto(`${bench.base}/#messages`);
    await bench.until(page, (name) => document.querySelector(".live")?.title.includes(`by ${name}`), name);
    const text = `without a stream, by ${name}`;
    appendFileSync(bench.path(BUS), JSON.stringify({ timestamp: new Date().toISOString(), from: "lead", type: "note", message: text }) + "\n");
    await bench.until(page, (text) => document.body?.innerText.includes(text), text);
    await page.context().close();
  }
}

async function hidden(bench) {
  const page = await bench.page();
  const paths = requestsOf(page);
  await page.goto(`${bench.base}/#messages`);
  await bench.until(page, () => document.querySelector(".live")?.innerText.includes("live") && document.querySelector(".messages li"));
  const hide = (is) => page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => is });
    document.dispatchEvent(new Event("visibilitychange"));
  }, is);
  await hide(true);
  await new Promise((done) => setTimeout(done, 300));
  const before = paths.length;
  appendFileSync(bench.path(BUS), JSON.stringify({ timestamp: new Date().toISOString(), from: "lead", type: "note", message: "while it was hidden" }) + "\n");
  // Waits for what must not come: no request is made for it.
  await new Promise((done) => setTimeout(done, 1500));
  assert.deepEqual(paths.slice(before), [], "a hidden tab asks for nothing");
  await hide(false);
  await bench.until(page, () => document.body?.innerText.includes("while it was hidden"));
  await page.context().close();
}

async function restart(bench) {
  const page = await bench.open("board");
  await bench.until(page, () => document.querySelector(".live")?.innerText.includes("live") && document.querySelector(".card"));
  bench.flow("api", "stop");
  await bench.until(page, () => document.querySelector(".banner")?.innerText.includes("No connection"));
  const banner = await page.locator(".banner").innerText();
  assert.match(banner, /No connection to the server since \d\d:\d\d:\d\d\. Data as of \d\d:\d\d:\d\d\. .*flow api start/);
  assert.match(await page.locator(".frame").evaluate((el) => getComputedStyle(el).filter), /grayscale/);
  assert.ok((await page.locator(".card").count()) > 0, "the last state stays");
  const status = JSON.parse(bench.read(STATUS));
  status.stories["US-0009"].title = "Changed while nobody served it";
  bench.write(STATUS, status);
  bench.flow("api", "start", `PORT=${bench.given.port}`);
  const begun = Date.now();
  await bench.until(page, () => !document.querySelector(".banner") && document.body?.innerText.includes("Changed while nobody served it"));
  bench.figure("page_back_after_restart_ms", Date.now() - begun);
  await page.context().close();
}
