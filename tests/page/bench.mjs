// What scenarios share: pages whose errors count, the files of the project, the server, figures.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import assert from "node:assert/strict";

// How long a condition may take to come true, in milliseconds. Far more than it should: the machine may be busy.
export const GENEROUS = 60_000;
export const VIEWS = ["now", "board", "epics", "tasks", "messages", "activity", "problems"];

export class Bench {
  constructor(browser, given, require) {
    Object.assign(this, { browser, given, require, base: `http://127.0.0.1:${given.port}`, figures: {}, errors: [] });
  }

  // A page of a context of its own, or of the one given. Errors of its scripts and refusals by its policy are collected.
  async page(options = {}, context) {
    const page = await (context ?? (await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options }))).newPage();
    page.setDefaultTimeout(GENEROUS);
    page.on("pageerror", (error) => this.errors.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !/Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(text)) this.errors.push(text);
    });
    page.on("dialog", (dialog) => { this.errors.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
    return page;
  }

  async open(view = "now", options = {}, context) {
    const page = await this.page(options, context);
    await page.goto(`${this.base}/#${view}`);
    await page.waitForSelector("h1");
    return page;
  }

  // Waits until a function of the page gives something true. What it reads may not be drawn yet, so that it throws: then it
  // is not true yet.
  async until(page, test, arg) {
    const guarded = new Function("arg", `try { return (${test})(arg); } catch { return false; }`);
    try {
      return await page.waitForFunction(guarded, arg, { timeout: GENEROUS, polling: 20 });
    } catch (error) {
      throw new Error(`${test} was not true: ${error.message}`, { cause: error });
    }
  }

  // What axe finds on a page of a context with `bypassCSP`: axe is injected, which the page's policy forbids. The themes
  // differ in colours alone, so of the dark one only these are looked at, or the given rules.
  async axe(page, colorScheme, only = colorScheme === "dark" && ["color-contrast", "link-in-text-block"]) {
    this.source ??= readFileSync(this.require.resolve("axe-core/axe.min.js"), "utf8");
    const rules = only ? { runOnly: { type: "rule", values: only } } : {};
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(this.source);
    return page.evaluate(async (rules) => {
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...rules });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160) + " " + node.failureSummary).join("\n")}`);
    }, rules);
  }

  path(name) { return join(this.given.root, name); }
  read(name) { return readFileSync(this.path(name), "utf8"); }

  // Writes atomically: to a temporary file, which is then renamed.
  write(name, content) {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.tmp`, typeof content === "string" ? content : JSON.stringify(content));
    renameSync(`${path}.tmp`, path);
  }

  flow(...args) {
    return execFileSync(this.given.flow, [...args, "--project", this.given.root], { cwd: this.given.root, encoding: "utf8" });
  }

  figure(name, value) { this.figures[name] = Math.round(value * 10) / 10; }

  check() { assert.deepEqual(this.errors, []); }
}

export const STATUS = "docs/09-agents/status.json";
export const BUS = "docs/09-agents/bus/log.jsonl";
export const TASKS = ".agileflow/state/task-dependencies.json";
export const SESSIONS = ".agileflow/sessions/registry.json";
