// The view of worktrees, which is there where the repository has several, and their lines in Now where no agent is named.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PLAN = "specs/004-search/tasks.md";
const boxes = (done) => `# Tasks\n\n## Phase 1\n\n${Array.from({ length: 12 }, (_, at) => `- [${at < done ? "x" : " "}] T${String(at + 1).padStart(3, "0")} Write part ${at + 1}\n`).join("")}`;

export default async function (bench) {
  const { root, flow } = bench.given;
  const git = (...words) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", ...words], { cwd: root });
  const page = await bench.page({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
  await page.goto(bench.base);
  await page.waitForSelector("nav a");
  assert.ok(!(await page.locator("nav").innerText()).includes("Worktrees"), "there is one worktree");
  // A plan without agents, on a branch of its own in another worktree.
  execFileSync(flow, ["api", "stop", "--project", root]);
  for (const path of ["docs", ".flow", ".agileflow"]) rmSync(join(root, path), { recursive: true, force: true });
  mkdirSync(dirname(join(root, PLAN)), { recursive: true });
  writeFileSync(join(root, PLAN), boxes(0));
  writeFileSync(join(root, "specs/004-search/spec.md"), "# Feature Specification: Search\n");
  writeFileSync(join(root, ".gitignore"), ".flow\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "A plan");
  git("worktree", "add", "-q", "-b", "004-search", "../search");
  execFileSync(flow, ["api", "start", "--project", root, `PORT=${bench.given.port}`]);
  await page.goto(`${bench.base}/#now`);
  await bench.until(page, () => document.querySelector("nav")?.innerText.includes("Worktrees"));
  writeFileSync(join(root, "../search", PLAN), boxes(5));
  await bench.until(page, () => /004-search[^]*5 of 12 tasks/.test(document.querySelector("main .worktrees")?.innerText ?? ""));
  assert.equal(await page.locator("main .worktrees li").count(), 1);
  await page.keyboard.press("8");
  await bench.until(page, () => document.querySelectorAll("main .worktrees li").length === 2);
  const text = await page.locator("main").innerText();
  assert.match(text, /2 worktrees/);
  assert.match(text, /5 done/);
  assert.match(text, /this page shows its plan/);
  const findings = await page.evaluate(async (source) => {
    (0, eval)(source);
    return (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map(({ id }) => id);
  }, readFileSync(bench.require.resolve("axe-core/axe.min.js"), "utf8"));
  assert.deepEqual(findings, []);
  await page.context().close();
}
