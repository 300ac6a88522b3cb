// The demo project: the first screen says what is so, each view shows its list, axe has no finding (the themes differ in
// colours alone, so the rules about these are enough for the second), nothing is wider than a phone.
import assert from "node:assert/strict";
import { TASKS, VIEWS } from "./bench.mjs";

const FIRST = { board: "US-0009", epics: "EP-0001", tasks: "task-0009", messages: "Success and refusal work", activity: "No changes yet", problems: "status.json" };

const isLong = Boolean(process.env.FLOW_LONG);
// What a width changes. All rules are held in every width and theme with FLOW_LONG.
const OF_WIDTH = ["scrollable-region-focusable", "meta-viewport"];

export default async function (bench) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await bench.page({ colorScheme, bypassCSP: true });
    for (const view of [...VIEWS, "board?group=epic", "board?open=story/US-0009", "tasks?open=task/task-0008", "epics?open=epic/EP-0002", "now?open=session/1", "now?open=story/none", "board?show=graph"]) {
      await page.goto(`${bench.base}/#${view}`);
      await bench.until(page, (text) => document.querySelector("main")?.innerText.includes(text), FIRST[view.split("?")[0]] ?? "task-0009");
      if (view.includes("open=")) await bench.until(page, () => document.querySelector(".panel .facts, .panel .empty") && !document.querySelector(".panel").innerText.includes("Loading."));
      for (const width of isLong ? [360, 1280, 1440, 2560] : [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const findings = await bench.axe(page, colorScheme, isLong ? null : width < 1280 ? OF_WIDTH : undefined);
        assert.deepEqual(findings, [], `${view}, ${colorScheme}, ${width} px`);
      }
    }
    await page.context().close();
  }
  await first(bench);
  await narrow(bench);
}

async function first(bench) {
  const page = await bench.open("now");
  await bench.until(page, () => document.querySelectorAll(".agents li").length > 0 && document.querySelector(".needs"));
  const row = await page.locator(".needs li").first().innerText();
  for (const words of ["failed", "task-0009", "Contract tests, first night", "authorised_amount", "ci"]) assert.ok(row.includes(words), `${words}: ${row}`);
  assert.equal(await page.locator(".files li").count(), 4);
  assert.match(await page.title(), /^\(\d+\) pageturner · flow$/);
  assert.match(await page.locator("p.live").innerText(), /live\s+written .* ago/);
  // Each entry leads to its record.
  await page.locator(".needs li").first().locator("a").first().click();
  await page.waitForSelector(".panel .lead");
  const line = bench.read(TASKS).split("\n").findIndex((text) => text.includes('"task-0009":')) + 1;
  await bench.until(page, () => /\.json:\d/.test(document.querySelector(".panel").innerText));
  const panel = await page.locator(".panel").innerText();
  for (const words of ["task-0009", "Contract tests, first night", "subagent_type", `.agileflow/state/task-dependencies.json:${line}`]) assert.ok(panel.includes(words), `${words}: ${panel}`);
  assert.match(page.url(), /#now\?open=task%2Ftask-0009$/);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".panel", { state: "detached" });
  // The whole state of a view is in its address.
  await page.goto(`${bench.base}/#board?owner=api&q=payment&group=epic`);
  await bench.until(page, () => document.querySelector(".sum")?.innerText.includes(" of "));
  assert.equal(await page.locator("select[name=owner]").inputValue(), "api");
  assert.equal(await page.locator("#search").inputValue(), "payment");
  const owners = await page.locator(".card p span:first-child").allInnerTexts();
  assert.ok(owners.length > 0 && owners.every((owner) => owner === "api"), owners.join());
  await page.context().close();
}

async function narrow(bench) {
  const page = await bench.page({ viewport: { width: 360, height: 740 } });
  for (const view of [...VIEWS, "board?group=owner", "board?open=story/US-0009", "messages?open=task/task-0008"]) {
    await page.goto(`${bench.base}/#${view}`);
    await bench.until(page, (text) => document.querySelector("main")?.innerText.includes(text), FIRST[view.split("?")[0]] ?? "task-0009");
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide[0] <= wide[1], `${view}: ${wide}`);
  }
}
