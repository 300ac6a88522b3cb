// What newly needs you is announced and marked until it was seen; the bell, off until a click, tells it by one notification for all
// tabs while none is shown.
import assert from "node:assert/strict";
import { TASKS } from "./bench.mjs";

// Stands in for the browser's notifications, which a browser without a screen does not show.
function stub(permission) {
  window.told_ = [];
  window.Notification = class {
    static permission = localStorage.getItem("stub") ?? "default";
    static requests = 0;
    static async requestPermission() {
      this.requests++;
      localStorage.setItem("stub", permission);
      return (this.permission = permission);
    }
    constructor(title, options) { window.told_.push({ title, ...options }); window.last_ = this; }
    close() { this.isClosed = true; }
  };
}

const hide = (page, is) => page.evaluate((is) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => is });
  document.dispatchEvent(new Event("visibilitychange"));
}, is);

export default async function (bench) {
  const tasks = JSON.parse(bench.read(TASKS));
  const fail = (id, error, more = {}) => {
    tasks.tasks[id] = { description: `Description of ${id}`, state: "failed", error, ...more };
    bench.write(TASKS, tasks);
  };
  const context = await bench.browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
  await context.addInitScript(stub, "granted");
  const page = await bench.open("now", {}, context);
  await bench.until(page, () => document.querySelector(".needs li") && document.querySelector("p.sr[role=status]"));
  assert.equal(await page.locator(".new").count(), 0, "nothing is new at the first visit");

  // Announced, and marked until it was seen.
  fail("task-9001", "the first \u202enew one");
  await bench.until(page, () => document.querySelector(".needs .new")?.closest("li").innerText.includes("task-9001"));
  assert.equal(await page.locator("p.sr[role=status]").innerText(), "New: failed task-9001 Description of task-9001: the first \\u{202e}new one");
  for (const colorScheme of ["light", "dark"]) assert.deepEqual(await bench.axe(page, colorScheme), []);
  await page.evaluate(() => (location.hash = "#board"));
  await page.waitForSelector(".board");
  await page.evaluate(() => (location.hash = "#now"));
  await page.waitForSelector(".needs li");
  assert.equal(await page.locator(".new").count(), 0, "it was seen");
  fail("task-9002", "while another view is open");
  await bench.until(page, () => document.querySelector(".new"));
  await page.reload();
  await bench.until(page, () => document.querySelector(".needs li") && document.querySelector("p.sr[role=status]"));
  assert.equal(await page.locator(".new").count(), 0, "a page that is left has been seen");

  // The bell is off until it is clicked, which alone asks the browser.
  const bell = page.locator("button.help").first();
  assert.equal(await bell.getAttribute("aria-pressed"), "false");
  assert.equal(await page.evaluate(() => Notification.requests), 0);
  const asked = [];
  context.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await bell.focus();
  await page.keyboard.press("Enter");
  await bench.until(page, () => document.querySelector("button.help").getAttribute("aria-pressed") === "true" && localStorage.getItem("flow-bell") === "on");
  assert.equal(await page.evaluate(() => Notification.requests), 1);
  assert.equal(asked.filter((path) => path === "/web/bell.js").length, 1, "its module is loaded at the click");

  // Three tabs tell once, and only while none is shown.
  const tabs = [page, await bench.open("board", {}, context), await bench.open("tasks", {}, context)];
  for (const tab of tabs.slice(1)) await bench.until(tab, () => document.querySelector("button.help")?.getAttribute("aria-pressed") === "true");
  const told = async () => (await Promise.all(tabs.map((tab) => tab.evaluate(() => window.told_)))).flat();
  await hide(tabs[0], true);
  await hide(tabs[1], true);
  fail("task-9003", "one tab is shown");
  await bench.until(tabs[2], () => document.querySelector("main").innerText.includes("task-9003"));
  await tabs[2].waitForTimeout(2000);
  assert.deepEqual(await told(), []);
  await hide(tabs[2], true);
  await tabs[2].waitForTimeout(1500);
  fail("task-9004", "nobody looks");
  await bench.until(tabs[0], () => window.told_.length);
  await tabs[0].waitForTimeout(1500);
  assert.deepEqual(await told(), [{ title: "pageturner: 1 new item needs you", body: "failed task-9004 Description of task-9004: nobody looks", tag: "flow-bell", renotify: true }]);
  // The tab that looks goes: another one takes over.
  await tabs.shift().close();
  await tabs[0].waitForTimeout(1500);
  fail("task-9005", "after the first tab has gone");
  for (;;) {
    const all = await told();
    if (all.length) {
      assert.equal(all.length, 1);
      assert.match(all[0].body, /task-9005/);
      break;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  // Back on the page, what was told is still new.
  await hide(tabs[0], false);
  await tabs[0].evaluate(() => (location.hash = "#now"));
  await bench.until(tabs[0], () => [...document.querySelectorAll(".new")].some((el) => el.closest("li").innerText.includes("task-9005")));
  // Off again, in all tabs.
  await tabs[0].locator("button.help").first().click();
  await bench.until(tabs[0], () => localStorage.getItem("flow-bell") === "off");
  await hide(tabs[0], true);
  asked.length = 0;
  fail("task-9006", "the bell is off");
  await tabs[0].waitForTimeout(1500);
  assert.deepEqual([await told().then((all) => all.length), asked], [1, []]);
  await context.close();
  await blocked(bench);
}

async function blocked(bench) {
  const page = await bench.page();
  await page.addInitScript(stub, "denied");
  await page.goto(`${bench.base}/#now`);
  await page.waitForSelector(".needs li");
  await page.locator("button.help").first().click();
  await bench.until(page, () => document.querySelector("button.help").getAttribute("aria-label") === "Notifications: blocked by the browser");
  assert.equal(await page.locator("button.help").first().getAttribute("aria-pressed"), "false");
  await page.context().close();
}
