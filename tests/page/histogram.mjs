// Messages over time: the server's counts of all that match, however many are loaded; a span that is drawn, or chosen in the table,
// filters the list and is in the address; the filters count; hostile texts stay texts.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { BUS } from "./bench.mjs";
import { inspect, texts } from "./hostile.mjs";

const HOUR = 3600000;
const START = Date.parse("2026-03-01T00:00:00Z");
const line = (hour, from, text = "text") => JSON.stringify({ timestamp: new Date(START + hour * HOUR + 60000).toISOString(), from, type: "note", message: text }) + "\n";

// Hour h has h + 1 messages: 48 hours, 1,176 messages, of six senders.
const lines = () => Array.from({ length: 48 }, (_, hour) => Array.from({ length: hour + 1 }, (_, at) => line(hour, `agent ${at % 6}`))).flat();

const heights = () => [...document.querySelectorAll(".histogram g")].map((bar) => [...bar.querySelectorAll("rect")].reduce((sum, rect) => sum + Number(rect.getAttribute("height")), 0));

export default async function (bench) {
  bench.write(BUS, lines().join(""));
  for (const colorScheme of ["light", "dark"]) {
    const page = await bench.page({ colorScheme, bypassCSP: true });
    await page.addInitScript(() => {
      window.shift_ = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift_ += value))).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(`${bench.base}/#messages`);
    await bench.until(page, () => document.querySelectorAll(".histogram g").length === 48);
    const shift = await page.evaluate(() => window.shift_);
    assert.ok(shift < 0.05, `layout shift ${shift}`);
    await page.evaluate(() => (document.querySelector(".numbers").open = true));
    assert.deepEqual(await bench.axe(page, colorScheme), [], colorScheme);
    await page.context().close();
  }
  await drawn(bench);
  await hostile(bench);
}

async function drawn(bench) {
  const page = await bench.open("messages");
  await bench.until(page, () => document.querySelectorAll(".histogram g").length === 48);
  const tall = await page.evaluate(heights);
  for (const [hour, height] of tall.entries()) assert.ok(Math.abs(height - ((hour + 1) / 48) * 70) < 0.5, `hour ${hour}: ${height}`);
  assert.equal(await page.locator(".histogram g").last().locator("rect").count(), 5, "four senders and the others");
  // Drawing over the first quarter shows its 78 messages, which were not loaded.
  assert.match(await page.locator(".sum").innerText(), /200 of 1,176 messages/);
  const box = await page.locator(".histogram").boundingBox();
  await page.mouse.move(box.x + 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 8, box.y + 20);
  await bench.until(page, () => document.querySelector(".brush"));
  await page.mouse.move(box.x + box.width / 4 - 4, box.y + 20);
  await page.mouse.up();
  await bench.until(page, () => /^78 messages/.test(document.querySelector(".sum").innerText));
  assert.match(decodeURIComponent(page.url()), /since=2026-03-01T00:00:00\.000Z&until=2026-03-01T11:59:59\.999Z/);
  assert.equal(await page.locator(".histogram g").count(), 48, "the picture keeps all");
  assert.ok(!(await page.locator(".brush").count()));
  // The address alone gives the same; the button leaves it.
  const again = await bench.page();
  await again.goto(page.url());
  await bench.until(again, () => /^78 messages/.test(document.querySelector(".sum").innerText));
  await again.context().close();
  await page.getByRole("button", { name: "All times" }).click();
  await bench.until(page, () => document.querySelector(".sum").innerText.includes("1,176"));
  // By keyboard: a row of the table is a button.
  await page.locator(".numbers summary").click();
  await page.locator(".numbers tbody tr").last().getByRole("button").press("Enter");
  await bench.until(page, () => /^1 message$/.test(document.querySelector(".sum").innerText.trim()));
  // Filters count; a new message is counted.
  await page.goto(`${bench.base}/#messages?from=agent+5`);
  await bench.until(page, () => document.querySelectorAll(".histogram g").length === 43);
  appendFileSync(bench.path(BUS), line(47, "agent 5") + line(0, "agent 5"));
  await bench.until(page, () => document.querySelectorAll(".histogram g").length === 44);
  await page.context().close();
}

async function hostile(bench) {
  bench.write(BUS, texts.map((text, at) => line(at, at % 2 ? text : `agent ${text}`, text)).join("") + texts.map((text) => line(3, text, text)).join(""));
  for (const width of [1280, 360]) {
    const page = await bench.page({ viewport: { width, height: 800 } });
    await page.goto(`${bench.base}/#messages`);
    await bench.until(page, () => document.querySelectorAll(".histogram g").length > 150);
    await page.evaluate(() => (document.querySelector(".numbers").open = true));
    assert.deepEqual(await page.evaluate(inspect), [], `${width} px`);
    assert.ok(!(await page.locator("main").innerText()).includes("This cannot be shown"));
    await page.context().close();
  }
}
