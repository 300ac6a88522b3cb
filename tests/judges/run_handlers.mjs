// Runs compiled error handlers: prints where the result for the class of a case, or for another error, is not as expected.
import fs from 'node:fs';
const found = [];
for (const { file, cases } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const module = await import(file);
  const logged = [];
  const logger = { warn: (...a) => logged.push(['warn', ...a]), error: (...a) => logged.push(['error', ...a]) };
  for (const c of cases) {
    const cause = new Error('why');
    const thrown = new module[c.name]('secret', { cause });
    const response = module.handleError(thrown, logger);
    const { status, body: { error } } = response;
    const [level, code, own] = logged.at(-1);
    const same = status === c.status && error.code === c.code && error.message === c.message
      && error.retryable === c.retryable && level === (c.status < 500 ? 'warn' : 'error') && code === c.code
      && own === thrown && own.message === 'secret' && own.cause === cause && own.name === c.name
      && own instanceof Error && !JSON.stringify(response).includes('secret');
    if (!same) found.push({ file, c, response });
  }
  const foreign = module.handleError('secret', logger);
  if (foreign.status !== 500 || JSON.stringify(foreign).includes('secret')) found.push({ file, foreign });
}
console.log(JSON.stringify(found));
