// Broken and empty states say so, and what to do; words that nobody knows are shown as they are; what is missing is shown as
// missing.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { BUS, SESSIONS, STATUS, TASKS, VIEWS } from "./bench.mjs";

const main = (page) => page.locator("main").innerText();

export default async function (bench) {
  const status = JSON.parse(bench.read(STATUS));
  status.stories["US-9001"] = { status: "In A Limbo", title: "An unknown word" };
  status.stories["US-9002"] = {};
  status.stories["US-9003"] = { title: ["a", { list: 1 }], status: 7, owner: { name: "x" }, epic_id: 3, depends_on: "the moon", number: "#" };
  bench.write(STATUS, JSON.stringify(status).replace('"#"', "123456789012345678901234567890"));
  const page = await bench.open("board");
  await bench.until(page, () => document.body?.innerText.includes("An unknown word"));
  const columns = await page.locator(".lane").allInnerTexts();
  assert.ok(columns.some((text) => text.startsWith("In A Limbo")) && columns.some((text) => text.startsWith("none")), columns.join());
  assert.match(await page.locator(".lane", { hasText: "none" }).locator("..").innerText(), /US-9002\s+no title\s+no owner/);
  await page.goto(`${bench.base}/#board?open=story/US-9003`);
  await page.waitForSelector(".panel .fields");
  const panel = await page.locator(".panel").innerText();
  assert.ok(panel.includes("123456789012345678901234567890"), panel);
  assert.ok(panel.includes("the moon"), panel);
  await page.goto(`${bench.base}/#tasks?state=running&q=no+such+words`);
  await bench.until(page, () => document.querySelector("main").innerText.includes("No matches."));

  writeFileSync(bench.path(STATUS), "{ not JSON");
  await page.goto(`${bench.base}/#now`);
  await bench.until(page, () => /status\.json cannot be read: not valid JSON \(line 1, column 3\): .*; showing the version from .* ago/.test(document.querySelector(".banner")?.innerText ?? ""));
  await bench.until(page, () => document.querySelector(".needs")?.innerText.includes("not read"));
  await page.goto(`${bench.base}/#problems`);
  await bench.until(page, () => /invalid/.test(document.querySelector(".sources").innerText) && /Correct the file/.test(document.querySelector(".sources").innerText));

  for (const name of [STATUS, BUS, TASKS, SESSIONS]) rmSync(bench.path(name));
  await page.goto(`${bench.base}/#now`);
  await bench.until(page, () => document.querySelector("main").innerText.includes("no tasks yet"));
  await bench.until(page, () => document.querySelector("main").innerText.includes("None yet: agents appear here"));
  const wanted = { board: "No stories yet: agents write them to docs/09-agents/status.json", epics: "No epics yet", tasks: "No tasks yet", messages: "No messages yet: agents append them" };
  for (const view of VIEWS) {
    await page.goto(`${bench.base}/#${view}`);
    await bench.until(page, (text) => document.querySelector("main").innerText.includes(text), wanted[view] ?? "");
    assert.ok(!(await main(page)).includes("undefined"), view);
  }
  await page.goto(`${bench.base}/#no-such-view?x=1`);
  await bench.until(page, () => document.querySelector("main").innerText.includes("Needs you"));
}
