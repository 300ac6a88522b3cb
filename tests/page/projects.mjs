// The menu of this user's other projects: links to their pages, and no menu where nothing else is served.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

// Waits until the server lists so many other projects: it looks every few seconds.
async function listed(bench, count) {
  for (;;) {
    const answer = await (await fetch(`${bench.base}/api/projects`)).json();
    if (answer.count === count) return;
    await new Promise((done) => setTimeout(done, 100));
  }
}

export default async function (bench) {
  const { other } = bench.given;
  await listed(bench, 1);
  for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
    // axe is injected, which the page's policy forbids to scripts of the page.
    const page = await bench.page({ viewport, bypassCSP: true });
    // On a phone an open record covers the page.
    const isWide = viewport.width > 1000;
    await page.goto(`${bench.base}/#tasks${isWide ? "?open=task/task-0008" : ""}`);
    await page.waitForSelector(isWide ? ".panel .fields" : ".tasks li");
    const button = page.locator("button.project");
    assert.equal(await button.innerText(), "pageturner ▾");
    assert.equal(await page.locator("#projects").isVisible(), false);
    await button.click();
    await page.waitForSelector("#projects:popover-open");
    assert.deepEqual(await page.locator("#projects a").allInnerTexts(), ["All projects", `bookshop \\u{202e}<b> :${other.port}`]);
    const place = await page.locator("#projects").boundingBox();
    assert.ok(place.x >= 0 && place.y >= 20 && place.y < 80 && place.x + place.width <= viewport.width, JSON.stringify(place));
    const findings = await page.evaluate(async (source) => {
      (0, eval)(source);
      return (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map(({ id }) => id);
    }, (await import("node:fs")).readFileSync(bench.require.resolve("axe-core/axe.min.js"), "utf8"));
    assert.deepEqual(findings, []);
    // Escape closes the menu alone.
    await page.keyboard.press("Escape");
    await page.waitForSelector("#projects", { state: "hidden" });
    if (isWide) assert.ok(await page.locator(".panel").isVisible(), "the record stays open");
    await page.context().close();
  }
  // By keyboard to the other project's page, which links back.
  const page = await bench.open("now");
  await page.locator("button.project").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.href), `http://127.0.0.1:${other.port}/`);
  await page.keyboard.press("Enter");
  await page.waitForURL(`http://127.0.0.1:${other.port}/**`);
  await bench.until(page, () => document.querySelector("button.project")?.innerText.startsWith("bookshop"));
  assert.equal(await page.locator("#projects a").last().getAttribute("href"), `${bench.base}/`);
  execFileSync(bench.given.flow, ["api", "stop", "--project", other.root]);
  await listed(bench, 0);
  await page.goto(bench.base);
  await bench.until(page, () => document.querySelector("span.project")?.innerText === "pageturner");
  assert.equal(await page.locator("button.project").count(), 0);
  await page.context().close();
}
