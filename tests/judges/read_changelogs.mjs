// Reads changelogs: for each one its releases with version, date and changes, and its address, or the error.
import { parser } from 'keep-a-changelog';
import fs from 'node:fs';
const found = JSON.parse(fs.readFileSync(0, 'utf8')).map((text) => {
  try {
    const log = parser(text);
    return { url: log.url ?? null, releases: log.releases.map((r) => ({
      version: r.version ?? null,
      date: r.date ? r.date.toISOString().slice(0, 10) : null,
      link: r.getCompareLink(log) ?? null,
      changes: [...r.changes].flatMap(([type, all]) => all.map((c) => [type, c.title])),
    })) };
  } catch (error) { return { error: error.message }; }
});
console.log(JSON.stringify(found));
