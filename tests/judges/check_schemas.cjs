// Each schema of cases.json is valid for Ajv, which accepts `{}` and none of the rejected files.
const Ajv = require('ajv/dist/2020').default;
for (const { schema, rejected } of require('./cases.json')) {
  const validate = new Ajv({ strict: true, strictTypes: false }).compile(schema);
  if (!validate({})) throw new Error(schema.$id);
  for (const one of rejected) if (validate(one)) throw new Error(JSON.stringify(one));
}
