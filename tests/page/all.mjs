// The page of all projects: three of them, one with a hostile name and titles, are read from their own servers; one is stopped and
// started; one that may not be read is named; no other page may ask another server, and no other origin gains anything.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STATUS } from "./bench.mjs";
import { inspect, texts } from "./hostile.mjs";

const HOSTILE = "bookshop \u202e<img src=x onerror=window.ran=1>";
// The first text that each project has as the title of a story, the hostile one beside all others that could do harm.
const TITLE = "</span><script>window.ran=1</script> \u202eeltit";

// A project beside the demo, with a blocked story.
class Other {
  constructor(bench, above, name, { settings, titles = [] } = {}) {
    Object.assign(this, { bench, name, titles, root: join(above, name) });
    mkdirSync(join(this.root, ".flow"), { recursive: true });
    if (settings) writeFileSync(join(this.root, ".flow/config.json"), JSON.stringify(settings));
    this.write("blocked");
    this.start();
  }

  write(status) {
    mkdirSync(join(this.root, "docs/09-agents"), { recursive: true });
    const hostile = this.titles.map((title) => ({ id: title, title, status: "blocked", blocked_reason: title, owner: title }));
    const stories = [{ id: "US-1", title: TITLE, status, blocked_reason: TITLE }, { id: "US-2", status: "done" }, ...hostile];
    writeFileSync(join(this.root, STATUS), JSON.stringify({ stories }));
  }

  start() {
    this.base = JSON.parse(this.api("start", "PORT=0", "--json")).page.replace(/\/$/, "");
  }

  api(...args) { return execFileSync(this.bench.given.flow, ["api", ...args, "--project", this.root], { encoding: "utf8" }); }
}

export default async function (bench) {
  const above = mkdtempSync(join(tmpdir(), "flow-page-"));
  const others = [new Other(bench, above, HOSTILE, { titles: texts }), new Other(bench, above, "warehouse")];
  try {
    await together(bench, others);
    await guarded(bench, others, above);
  } finally {
    for (const other of others) other.api("stop");
    rmSync(above, { recursive: true });
  }
}

const row = (name) => [...document.querySelectorAll(".served li")].find((li) => li.innerText.includes(name))?.innerText;
const until = (bench, page, name, words) => bench.until(page, `([name, words]) => (${row})(name)?.includes(words)`, [name, words]);

async function together(bench, [hostile, warehouse]) {
  const page = await bench.page();
  const asked = new Set();
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  // Through the menu of the project's name.
  await page.goto(bench.base);
  await page.locator("button.project").click();
  await page.locator("#projects a", { hasText: "All projects" }).click();
  await page.waitForURL(`${bench.base}/projects`);
  for (const [name, words] of [["pageturner", "need you"], ["bookshop", "need you"], ["warehouse", "1 of 2 stories done"]]) await until(bench, page, name, words);
  assert.match(await page.locator("p.live").innerText(), /3 served/);
  assert.match(await page.title(), /^\(\d+\) All projects · flow$/);
  assert.ok((await page.locator(".served").innerText()).includes("bookshop \\u{202e}<img src=x"), "the name is text, with what is hidden made visible");
  // The newest of each kind, then all.
  const kinds = await page.locator(".needs .state").allInnerTexts();
  assert.ok(kinds.every((kind) => kinds.filter((other) => other === kind).length <= 3), kinds.join());
  await page.locator("button[aria-expanded=false]").first().click();
  await bench.until(page, () => document.querySelector("button[aria-expanded=true]"));
  assert.match(await page.locator("main").innerText(), /1\d\d more are on the pages of their projects/, "of each server 100 items of a kind are kept");
  const rows = await page.locator(".needs li").allInnerTexts();
  assert.ok(rows[0].includes("pageturner") && rows[0].includes("task-0009"), `failed tasks first: ${rows[0]}`);
  const blocked = rows.filter((text) => text.includes("US-1"));
  assert.equal(blocked.length, 2, blocked.join());
  assert.ok(blocked.every((text) => text.includes("<script>window.ran=1</script> \\u{202e}eltit")), blocked[0]);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.locator(".agents li .p a").count(), 12);
  // Each server is asked by the page, and answers for itself.
  assert.deepEqual([...asked].sort(), [bench.base, hostile.base, warehouse.base].sort());
  for (const { base } of [hostile, warehouse]) {
    const texts = await Promise.all(["attention", "agents", "projects"].map(async (name) => (await fetch(`${base}/api/${name}`)).text()));
    assert.ok(!texts.join().includes("task-0009"), "nothing of one project is in an answer of another");
  }
  await layout(bench);
  // Each entry leads to its project.
  await page.locator(".needs li", { hasText: "warehouse" }).locator("a.id").click();
  await page.waitForURL(`${warehouse.base}/**`);
  await bench.until(page, () => document.querySelector(".panel")?.innerText.includes("US-1"));
  await page.goto(`${bench.base}/projects`);
  await changes(bench, page, warehouse);
  await page.context().close();
}

async function changes(bench, page, warehouse) {
  await until(bench, page, "warehouse", "1 of 2 stories done");
  warehouse.write("done");
  await until(bench, page, "warehouse", "nothing needs you");
  warehouse.api("stop");
  await until(bench, page, "warehouse", "is no longer running");
  assert.match(await page.locator("p.live").innerText(), /2 served, 1 gone/);
  assert.equal(await page.locator(".served a", { hasText: "warehouse" }).count(), 0);
  // At another address it is the same project.
  warehouse.start();
  const begun = Date.now();
  await until(bench, page, "warehouse", "2 of 2 stories done");
  bench.figure("page_projects_new_one_ms", Date.now() - begun);
  assert.match(await page.locator("p.live").innerText(), /3 served$/);
  assert.equal(await page.locator(".served li").count(), 3);
  // What changed since the last visit.
  await page.addInitScript(() => localStorage.setItem("flow-projects-seen", "2020-01-01T00:00:00.000Z"));
  await page.reload();
  await until(bench, page, "warehouse", "new change");
  // A hidden page asks nobody.
  const hide = (is) => page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => is });
    document.dispatchEvent(new Event("visibilitychange"));
  }, is);
  await hide(true);
  await page.waitForTimeout(500);
  let count = 0;
  page.on("request", () => count++);
  await page.waitForTimeout(2500);
  assert.equal(count, 0);
  await hide(false);
}

async function layout(bench) {
  for (const [colorScheme, width] of [["light", 360], ["dark", 800], ["light", 1280], ["dark", 2560]]) {
    const page = await bench.page({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    await page.goto(`${bench.base}/projects`);
    await until(bench, page, "warehouse", "1 needs you");
    await until(bench, page, "bookshop", "need you");
    // With the newest of each kind alone: the two hundred others are rows of the same form.
    assert.deepEqual(await bench.axe(page, colorScheme), [], `${colorScheme}, ${width}`);
    await page.locator("button[aria-expanded=false]").click();
    await page.waitForSelector("button[aria-expanded=true]");
    const isWrong = (text) => !/^href=(http:\/\/127\.0\.0\.1:\d+)?\/(#|$)/.test(text);
    assert.deepEqual((await page.evaluate(inspect)).filter(isWrong), [], `${width}`);
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide[0] <= wide[1], `${width}: ${wide}`);
    await page.context().close();
  }
}

// What the policy and the servers forbid.
async function guarded(bench, [hostile], above) {
  const closed = new Other(bench, above, "closed", { settings: { read_from_ports: [1] } });
  try {
    const page = await bench.page();
    await page.goto(`${bench.base}/projects`);
    await until(bench, page, "closed", `does not list ${bench.given.port}`);
    assert.match(await page.locator("p.live").innerText(), /1 cannot be read/);
    // One that hangs, and one whose answer is too large or no answer, hold up nobody.
    const answering = (body) => (route) => route.fulfill({ headers: { "Access-Control-Allow-Origin": bench.base }, body });
    for (const [answer, words] of [[() => {}, "did not respond within 3 s"], [answering("x".repeat((4 << 20) + 1)), "larger than 4 MiB"], [answering("<!doctype html>"), "its answer cannot be read"], [answering("{}"), "another project"]]) {
      await page.route(`${hostile.base}/api/health`, answer);
      await until(bench, page, "bookshop", words);
      await until(bench, page, "pageturner", "need you");
      await page.unroute(`${hostile.base}/api/health`);
    }
    await until(bench, page, "bookshop", "need you");
    const read = (page, url) => page.evaluate(async (url) => {
      try {
        return (await fetch(url)).status;
      } catch {
        return "refused";
      }
    }, url);
    assert.equal(await read(page, `${hostile.base}/api/health`), 200);
    assert.equal(await read(page, "http://127.0.0.2:1/"), "refused");
    assert.equal(await read(page, "https://flow.invalid/"), "refused");
    await page.goto(`${bench.base}/`);
    await page.waitForSelector("h1");
    assert.equal(await read(page, `${hostile.base}/api/health`), "refused", "the page of one project asks its own server alone");
    // A page of another name, on this machine.
    const foreign = await bench.page();
    await foreign.route("http://evil.test/", (route) => route.fulfill({ contentType: "text/html", body: "<p>evil</p>" }));
    await foreign.goto("http://evil.test/");
    assert.equal(await read(foreign, `${hostile.base}/api/health`), "refused");
    // Through a proxy, addresses of this machine would be those of the visitor's: nobody else is asked.
    const distant = await bench.page();
    const elsewhere = [];
    distant.on("request", (request) => request.url().startsWith("http://proxy.test/") || elsewhere.push(request.url()));
    await distant.route("http://proxy.test/**", async (route) => {
      const response = await fetch(route.request().url().replace("http://proxy.test", bench.base));
      await route.fulfill({ status: response.status, contentType: response.headers.get("content-type"), body: Buffer.from(await response.arrayBuffer()) });
    });
    await distant.goto("http://proxy.test/projects");
    await until(bench, distant, "pageturner", "need you");
    assert.match(await distant.locator("main").innerText(), /Through a proxy/);
    assert.deepEqual([await distant.locator(".served li").count(), elsewhere], [1, []]);
    await distant.context().close();
    const refused = /Access to fetch at|violates the following|Refused to connect/;
    bench.errors = bench.errors.filter((text) => !refused.test(text));
    await page.context().close();
    await foreign.context().close();
  } finally {
    closed.api("stop");
  }
}
