// Draws the pictures of the documentation: the demo project, with its times moved to now, and a few changes on top.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { BUS, SESSIONS, STATUS, TASKS } from "./bench.mjs";

const TIME = /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

export default async function (bench) {
  const names = [STATUS, BUS, TASKS, SESSIONS];
  const newest = Math.max(...names.flatMap((name) => bench.read(name).match(TIME) ?? []).map(Date.parse));
  const moved = (text) => text.replace(TIME, (time) => new Date(Date.parse(time) + Date.now() - 16000 - newest).toISOString());
  for (const name of names) bench.write(name, moved(bench.read(name)));
  appendFileSync(bench.path(BUS), JSON.stringify({ timestamp: new Date(Date.now() - 41 * 60000).toISOString(), from: "ui", to: "api", type: "question", story_id: "US-0014", message: "Which price goes on the receipt?" }) + "\n");
  const pause = () => new Promise((done) => setTimeout(done, 1200));
  await pause();
  const change = async (name, edit) => {
    const whole = JSON.parse(bench.read(name));
    edit(whole);
    bench.write(name, whole);
    await pause();
  };
  await change(TASKS, ({ tasks }) => (tasks["task-0012"].state = "running"));
  await change(STATUS, ({ stories }) => (stories["US-0009"].status = "in-review"));
  await change(TASKS, ({ tasks }) => (tasks["task-0011"].state = "completed"));
  // What agents take back from the plan needs attention.
  await change(STATUS, ({ stories }) => stories["US-0011"].acceptance_criteria.pop());
  const folder = join(bench.given.repository, "docs/images");
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const context = await bench.browser.newContext({ viewport: { width: 1000, height: 548 }, colorScheme });
    const page = await bench.page({}, context);
    await page.addInitScript((at) => localStorage.setItem("flow-seen", new Date(at).toISOString()), Date.now() - 1200000);
    for (const [view, name] of [["now", "now"], ["board?open=story/US-0010", "board"]]) {
      if (name === "board" && colorScheme === "dark") continue;
      if (name === "board") await page.setViewportSize({ width: 1200, height: 540 });
      await page.goto(`${bench.base}/#${view}`);
      await bench.until(page, () => document.querySelectorAll(".log li, .card").length > 2 && document.querySelector("p.live").innerText.includes("live") && !document.body.innerText.includes("Loading."));
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
    await context.close();
  }
}
