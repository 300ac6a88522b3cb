// Everything by keyboard.
import assert from "node:assert/strict";
import { VIEWS } from "./bench.mjs";

export default async function (bench) {
  const page = await bench.open("now");
  await bench.until(page, () => document.querySelector(".needs"));
  const focus = () => page.evaluate(() => document.activeElement.closest(".item")?.innerText ?? document.activeElement.tagName);
  for (const [at, view] of VIEWS.entries()) {
    await page.keyboard.press(String(at + 1));
    await bench.until(page, (view) => document.querySelector("nav [aria-current]").getAttribute("href") === `#${view}`, view);
  }
  await page.keyboard.press("4");
  await bench.until(page, () => document.querySelectorAll(".tasks li").length === 12);
  await page.keyboard.press("j");
  const first = await focus();
  await page.keyboard.press("j");
  const second = await focus();
  assert.ok(first.includes("task-") && second.includes("task-") && first !== second, `${first} / ${second}`);
  await page.keyboard.press("ArrowUp");
  assert.equal(await focus(), first);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".panel .lead");
  assert.equal(await page.evaluate(() => document.activeElement.id), "record-title", "the focus is in the record");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".panel", { state: "detached" });
  assert.equal(await focus(), first, "the focus is back");
  await page.keyboard.press("/");
  await page.keyboard.type("postage");
  await bench.until(page, () => document.querySelectorAll(".tasks li").length === 1);
  await page.keyboard.press("1");
  assert.equal(await page.locator("#search").inputValue(), "postage1", "digits are text while typing");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await page.keyboard.press("Escape");
  await bench.until(page, () => document.querySelectorAll(".tasks li").length === 12);
  await page.keyboard.press("2");
  await page.waitForSelector(".card");
  await page.keyboard.press("l");
  const column = () => page.evaluate(() => document.activeElement.closest("[data-column]")?.querySelector(".lane").innerText.split(/\s/)[0]);
  const left = await column();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await column(), left);
  await page.keyboard.press("h");
  assert.equal(await column(), left);
  for (const group of ["epic", "owner", ""]) {
    await page.keyboard.press("g");
    await bench.until(page, (group) => document.querySelector("select[name=group]").value === group, group);
  }
  await page.keyboard.press("5");
  await page.waitForSelector(".messages li");
  await page.keyboard.press("p");
  await bench.until(page, () => document.querySelector(".sum")?.innerText.startsWith("paused"));
  await page.keyboard.press("j");
  assert.ok((await focus()).includes("→"), "a message has the focus");
  await page.keyboard.press("p");
  await bench.until(page, () => document.querySelector(".sum")?.innerText.endsWith("messages"));
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  assert.match(await page.locator("dialog").innerText(), /search this view/);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  // Every control is reached by Tab, and shows that it has the focus.
  await page.keyboard.press("4");
  await bench.until(page, () => document.querySelectorAll(".tasks li").length === 12);
  await page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let turn = 0; turn < 60; turn++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.getAttribute("href") ?? document.activeElement.name ?? document.activeElement.id));
  }
  for (const wanted of ["#content", "#now", "#problems", "state", "agent", "#task/task-0009"]) assert.ok(reached.has(wanted), `${wanted}: ${[...reached]}`);
}
