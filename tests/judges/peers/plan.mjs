// Writes which groups of the suite are counted: { basis: [group], everything: [group] }. The basis is the files of
// basis.txt without the groups that name themselves for others; tests/it/artifacts/suite.rs takes the same.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [suite, plan] = process.argv.slice(2);
const naming = ['"$id"', '"$anchor"', '"$dynamicRef"'];
const read = (name) => JSON.parse(readFileSync(join(suite, name), "utf8"));
const isPlain = ({ schema }) => !naming.some((word) => JSON.stringify(schema).includes(word));

const basis = readFileSync(join(suite, "basis.txt"), "utf8").trim().split("\n").map((name) => `${name}.json`);
const files = readdirSync(suite).filter((name) => name.endsWith(".json"));
writeFileSync(plan, JSON.stringify({ basis: basis.flatMap(read).filter(isPlain), everything: files.flatMap(read) }));
