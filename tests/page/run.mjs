// Runs one scenario in a browser: `node run.mjs NAME`, with what it needs as JSON on standard input. Prints figures as JSON;
// a scenario that fails ends with the reason.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { Bench } from "./bench.mjs";

const name = process.argv[2];
const given = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(`${given.judges}/package.json`);
const { chromium } = require("playwright-core");
// --disable-quic and what follows keep the browser from looking for anything outside of this machine.
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: given.chromium, args });
const bench = new Bench(browser, given, require);
try {
  const { default: scenario } = await import(`./${name}.mjs`);
  await scenario(bench);
  bench.check();
  process.stdout.write(JSON.stringify(bench.figures));
} finally {
  await browser.close();
}
