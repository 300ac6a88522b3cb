// Lints messages with warnings as errors, ignoring none; prints the errors of each. Only the warning for an empty line before
// footers counts for nothing: commitlint takes each line with `#1` in it for a footer.
import load from '@commitlint/load';
import lint from '@commitlint/lint';
import fs from 'node:fs';
const config = await load({ extends: ['@commitlint/config-conventional'] });
const parserOpts = config.parserPreset?.parserOpts;
const found = [];
for (const message of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const report = await lint(message, config.rules, { parserOpts, defaultIgnores: false });
  found.push([...report.errors, ...report.warnings]
    .filter((p) => p.name !== 'footer-leading-blank').map((p) => p.name + ': ' + p.message));
}
console.log(JSON.stringify(found));
