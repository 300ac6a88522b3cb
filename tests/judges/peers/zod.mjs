// Counts what makes Zod schemas of JSON Schema, each with its defaults. A schema that is refused misses all its cases.
import { readFileSync } from "node:fs";
import { jsonSchemaToZod } from "json-schema-to-zod";
import * as z from "zod";

const makers = {
  "json-schema-to-zod": (schema) => new Function("z", `return ${jsonSchemaToZod(schema)}`)(z),
  "zod's fromJSONSchema": (schema) => z.fromJSONSchema(schema),
};

function right(make, { schema, tests }) {
  let made;
  try {
    made = make(schema);
  } catch {
    return 0;
  }
  const isRight = ({ data, valid }) => {
    try {
      return made.safeParse(data).success === valid;
    } catch {
      return false;
    }
  };
  return tests.filter(isRight).length;
}

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const [name, make] of Object.entries(makers)) {
  for (const [selection, groups] of Object.entries(plan)) {
    const counts = groups.map((group) => right(make, group));
    const cases = groups.reduce((sum, { tests }) => sum + tests.length, 0);
    const found = counts.reduce((sum, count) => sum + count, 0);
    const whole = groups.filter(({ tests }, at) => tests.length === counts[at]).length;
    console.log(`${name}, ${selection}: ${found} of ${cases} cases, ${whole} of ${groups.length} groups whole`);
  }
}
