// Checks every example of the API documents given as arguments; prints `file place` of those that do not match.
const fs = require('fs'), yaml = require('js-yaml'), Ajv = require('ajv/dist/2020').default, formats = require('ajv-formats').default;
let count = 0;
for (const file of process.argv.slice(2)) {
  const text = fs.readFileSync(file, 'utf8');
  const document = file.endsWith('.json') ? JSON.parse(text) : yaml.load(text);
  const components = document.components ?? {};
  const ajv = formats(new Ajv({ strict: false, validateFormats: true })).addSchema({ $id: 'doc:/all', components }, 'doc:/all');
  const point = (value) => JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"doc:/all#/components'));
  const walk = (value, place) => {
    if (!value || typeof value !== 'object') return;
    if (value.schema && 'example' in value) {
      count++;
      const check = ajv.compile(point(value.schema));
      if (!check(value.example)) console.log(file, place, JSON.stringify(check.errors));
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, place + '/' + key);
  };
  walk(document.paths, ''); walk(document.components?.responses, '');
}
console.log('examples', count);
