// A writer of tasks that knows nothing of the others: node writer.cjs KIND ROOT NAME COUNT, in the judges' folder. It
// prints the ids of the tasks that it has made.
const fs = require('node:fs');
const path = require('node:path');

const [kind, root, name, count] = process.argv.slice(2);
const file = path.join(root, '.agileflow/state/task-dependencies.json');
const pause = ms => new Promise(resume => setTimeout(resume, ms));

// AgileFlow's own: it reads the file once and then writes what it remembers.
function agileflow() {
  const { TaskRegistry } = require('agileflow/scripts/lib/task-registry.js');
  const registry = new TaskRegistry({ rootDir: root });
  return n => {
    const made = registry.create({ id: `${name}-${n}`, description: `Task ${n} of ${name}`, subagent_type: name });
    if (made.success && n % 5 === 4) {
      registry.start(`${name}-${n}`);
      registry.complete(`${name}-${n}`);
    }
    return made.success;
  };
}

// One that reads, changes and writes in place, without a lock.
function plain() {
  return n => {
    let state;
    try {
      state = JSON.parse(fs.readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
    const done = n % 5 === 4;
    state.tasks[`${name}-${n}`] = { description: `Task ${n} of ${name}`, agent: name, state: done ? 'done' : 'running' };
    fs.writeFileSync(file, JSON.stringify(state));
    return true;
  };
}

(async () => {
  const write = kind === 'agileflow' ? agileflow() : plain();
  const made = [];
  for (let n = 0; n < Number(count); n += 1) {
    if (write(n)) made.push(`${name}-${n}`);
    await pause(5 + Math.random() * 20);
  }
  console.log(JSON.stringify(made));
})();
