// Runs scenarios of the conformance suite in one process: its modules are read once. After each one, `== NAME CODE`.
import { pathToFileURL } from "node:url";
const [suite, url, ...names] = process.argv.slice(2);
for (const name of names) {
  process.argv = [process.argv[0], suite, "server", "--url", url, "--scenario", name];
  const code = await new Promise((end) => {
    process.exit = end;
    import(`${pathToFileURL(suite)}?${name}`);
  });
  console.log(`== ${name} ${code}`);
}
