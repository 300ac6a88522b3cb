// Executes generated modules on values: reads a plan (JSON) from the file given, prints the verdicts as JSON.
// A plan is { modules: [{ library, file, name, values }] }; a value is JSON text, so that hostile keys arrive as they are.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import ts from "typescript";

const accepts = {
  zod: (schema, value) => schema.safeParse(value).success,
  joi: (schema, value) => schema.validate(value, { convert: false }).error === undefined,
  yup: (schema, value) => schema.isValidSync(value, { strict: true }),
};
const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const verdicts = [];
for (const { library, file, name, values } of plan.modules) {
  try {
    const script = file.replace(/\.ts$/, ".mjs");
    writeFileSync(script, ts.transpileModule(readFileSync(file, "utf8"), { compilerOptions: options }).outputText);
    const schema = (await import(pathToFileURL(script).href))[name];
    verdicts.push(values.map((text) => {
      try {
        return accepts[library](schema, JSON.parse(text));
      } catch (error) {
        return String(error.stack ?? error);
      }
    }));
  } catch (error) {
    verdicts.push(values.map(() => String(error.stack ?? error)));
  }
}
process.stdout.write(JSON.stringify(verdicts));
