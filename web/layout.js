// Places the nodes of a graph of dependencies: from left to right, so that what is needed is left of what needs it. Pure functions.

// Rounds of putting the nodes of a column into the order of their neighbours, and of moving them level with these.
const ROUNDS = 4;
// The most bends of long edges. Beyond that they are straight.
const MOST_BENDS = 3000;
// The most steps along edges to find what waits for each node: within 50 ms.
const MOST_STEPS = 700000;

// The order in which nodes (with `id` and `needs`, the ids of others) can be done, and the length of the longest chain that ends at each. In a
// cycle one of the edges leads back: it is the one to a node that comes earlier in this order.
export function order(nodes) {
  const byId = new Map(nodes.map((node) => [node.id, { node, dependents: [], length: 1 }]));
  const steps = [...byId.values()];
  for (const step of steps) {
    step.needs = step.node.needs.map((id) => byId.get(id)).filter(Boolean);
    step.open = step.needs.length;
    for (const needed of step.needs) needed.dependents.push(step);
  }
  const found = [];
  // Where only cycles are left, the first of their nodes is taken as if it needed nothing.
  for (const first of [...steps.filter((step) => step.open === 0), ...steps]) {
    const queue = first.place === undefined ? [first] : [];
    for (const step of queue) {
      step.place = found.push(step);
      for (const dependent of step.dependents) if (dependent.place === undefined) {
        dependent.length = Math.max(dependent.length, step.length + 1);
        if (--dependent.open === 0) queue.push(dependent);
      }
    }
  }
  return found;
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
// groups of nodes that are not connected. Gives each a `column` and `y`; returns `edges` with the points between their ends, and the whole `height`.
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
    const put = (one, height) => (columns[one.column] ??= []).push(Object.assign(one, { height, left: [], right: [] }));
    for (const step of group) put(step, size.node);
    let bends = 0;
    for (const from of group) for (const to of from.dependents) {
      const edge = { from, to, isBack: to.place <= from.place, bends: [] };
      edges.push(edge);
      if (edge.isBack) continue;
      for (let column = from.column + 1; column < to.column && bends++ < MOST_BENDS; column++) edge.bends.push({ column });
      for (const bend of edge.bends) put(bend, size.bend);
      [from, ...edge.bends].forEach((one, at) => {
        const next = edge.bends[at] ?? to;
        one.right.push(next);
        next.left.push(one);
      });
    }
    top = level(columns.filter(Boolean), top) + size.between;
  }
  return { edges, height: Math.max(0, top - size.between) };
}

// The nodes that are connected, the largest group first, each in the order of the nodes.
function groups(steps) {
  const found = [];
  const seen = new Set();
  for (const step of steps) if (!seen.has(step)) {
    const group = new Set([step]);
    for (const one of group) for (const other of [...one.needs, ...one.dependents]) group.add(other), seen.add(other);
    found.push([...group].sort((a, b) => a.place - b.place));
  }
  return found.sort((a, b) => b.length - a.length);
}

const mean = (list, value) => list.reduce((sum, one) => sum + value(one), 0) / list.length;
const middle = (one) => one.y + one.height / 2;

// Arranges each column, to the right and back some times, by the height at which each of its nodes is level with its neighbours.
function sweep(columns, arrange) {
  for (let round = 0; round < ROUNDS; round++) for (const side of ["left", "right"]) for (const column of side === "left" ? columns : columns.toReversed()) {
    for (const one of column) one.wanted = one[side].length ? mean(one[side], middle) : middle(one);
    arrange(column);
  }
}

// Gives each node of the columns its height below `top`; returns the lowest end.
function level(columns, top) {
  const stack = (column) => column.reduce((y, one) => ((one.y = y), y + one.height), 0);
  columns.forEach(stack);
  sweep(columns, (column) => stack(column.sort((a, b) => a.wanted - b.wanted)));
  sweep(columns, (column) => {
    let end = -Infinity;
    for (const one of column) {
      one.y = Math.max(one.wanted - one.height / 2, end);
      end = one.y + one.height;
    }
    const off = mean(column, (one) => one.wanted - middle(one));
    for (const one of column) one.y += off;
  });
  const all = columns.flat();
  const least = Math.min(...all.map((one) => one.y));
  for (const one of all) one.y = Math.round(one.y - least + top);
  return Math.max(...all.map((one) => one.y + one.height));
}
