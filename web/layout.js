// Places the nodes of a graph of dependencies: from left to right, so that what is needed is left of what needs it. Pure functions.

// Rounds of putting the nodes of a column into the order of their neighbours, and of moving them level with these.
const ROUNDS = 4;
// The most bends of long edges. Beyond that they are straight.
const MOST_BENDS = 3000;
// The most steps along edges to find what waits for each node: within 50 ms.
const MOST_STEPS = 700000;

// The order in which nodes (with `id` and `needs`, the ids of others) can be done, and the length of the longest chain that ends at each. In a
// cycle one of the edges leads back: it is the one to a node that comes later in this order.
export function order(nodes) {
  const byId = new Map(nodes.map((node) => [node.id, { node, open: 0, dependents: [], length: 0 }]));
  for (const step of byId.values()) for (const id of step.node.needs) if (byId.has(id)) step.open++, byId.get(id).dependents.push(step);
  const queue = [...byId.values()].filter((step) => step.open === 0);
  const all = [...byId.values()];
  for (let at = 0, next = 0; ; at++) {
    if (at === queue.length) {
      // Only cycles are left: the first of their nodes is taken as if it needed nothing.
      while (next < all.length && (all[next].open <= 0 || all[next].place !== undefined)) next++;
      if (next === all.length) return queue;
      all[next].open = 0;
      queue.push(all[next]);
    }
    const step = queue[at];
    step.place = at;
    step.length++;
    for (const dependent of step.dependents) {
      if (dependent.place !== undefined) continue;
      dependent.length = Math.max(dependent.length, step.length);
      if (dependent.open > 0 && --dependent.open === 0) queue.push(dependent);
    }
  }
}

// For each node the ids of all that wait for it, directly or through others; nothing where that takes too many steps.
export function reach(steps) {
  const found = new Map();
  let left = MOST_STEPS;
  for (const step of steps) {
    const seen = new Set([step]);
    for (const one of seen) for (const dependent of one.dependents) {
      if (left-- < 0) return new Map();
      seen.add(dependent);
    }
    if (seen.size > 1) found.set(step.node.id, [...seen].slice(1).map(({ node }) => node.id));
  }
  return found;
}

// Columns and heights of nodes in the order of `order`: `size` has the height of a node and of a bend, and the space between
// groups of nodes that are not connected. Returns `nodes` with `column` and `y`, `edges` with the points between their ends, and `height`.
export function place(steps, size) {
  for (const step of steps) step.column = step.length - 1;
  // What needs nothing moves next to what needs it first.
  for (const step of steps.toReversed()) {
    const later = step.dependents.filter((one) => one.place > step.place).map((one) => one.column);
    if (later.length) step.column = Math.max(step.column, Math.min(...later) - 1);
  }
  let top = 0;
  const edges = [];
  for (const group of groups(steps)) {
    const columns = [];
    const put = (one) => (columns[one.column] ??= []).push(one);
    for (const step of group) put(Object.assign(step, { left: [], right: [], height: size.node }));
    let bends = 0;
    for (const step of group) for (const dependent of step.dependents) {
      const isBack = dependent.place <= step.place;
      const edge = { from: step, to: dependent, isBack, bends: [] };
      edges.push(edge);
      if (isBack) continue;
      let before = step;
      if ((bends += dependent.column - step.column - 1) <= MOST_BENDS) for (let column = step.column + 1; column < dependent.column; column++) {
        const bend = { column, left: [before], right: [], height: size.bend };
        before.right.push(bend);
        put(bend);
        edge.bends.push(bend);
        before = bend;
      }
      before.right.push(dependent);
      dependent.left.push(before);
    }
    top = level(columns.filter(Boolean), top) + size.between;
  }
  return { nodes: steps, edges, height: Math.max(0, top - size.between) };
}

// The nodes that are connected, the largest group first, each in the order of the nodes.
function groups(steps) {
  const parent = new Map(steps.map((step) => [step, step]));
  const root = (step) => {
    while (parent.get(step) !== step) parent.set(step, parent.get(parent.get(step))), (step = parent.get(step));
    return step;
  };
  for (const step of steps) for (const dependent of step.dependents) parent.set(root(dependent), root(step));
  return [...Map.groupBy(steps, root).values()].sort((a, b) => b.length - a.length);
}

const mean = (list, value) => list.reduce((sum, one) => sum + value(one), 0) / list.length;

// Gives each node of the columns its height below `top`; returns the lowest end.
function level(columns, top) {
  const number = (column) => column.forEach((one, at) => (one.at = at));
  columns.forEach(number);
  for (let round = 0; round < ROUNDS; round++) for (const [list, side] of [[columns, "left"], [columns.toReversed(), "right"]]) for (const column of list) {
    const wanted = new Map(column.map((one) => [one, one[side].length ? mean(one[side], (other) => other.at) : one.at]));
    column.sort((a, b) => wanted.get(a) - wanted.get(b) || a.at - b.at);
    number(column);
  }
  for (const column of columns) column.reduce((y, one) => ((one.y = y), y + one.height), 0);
  for (let round = 0; round < ROUNDS; round++) for (const [list, side] of [[columns, "left"], [columns.toReversed(), "right"]]) for (const column of list) {
    const middle = (one) => one.y + one.height / 2;
    const wanted = column.map((one) => (one[side].length ? mean(one[side], middle) - one.height / 2 : one.y));
    column.forEach((one, at) => (one.y = at ? Math.max(wanted[at], column[at - 1].y + column[at - 1].height) : wanted[at]));
    const off = mean(column, (one) => wanted[one.at] - one.y);
    for (const one of column) one.y += off;
  }
  const all = columns.flat();
  const least = Math.min(...all.map((one) => one.y));
  for (const one of all) one.y = Math.round(one.y - least + top);
  return Math.max(...all.map((one) => one.y + one.height));
}
