// Builds and updates the document from descriptions. Text becomes text nodes only: no markup is made from strings.
import { visible } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";
// Attributes that people read: hidden characters in them are made visible, as in text.
const READ = new Set(["title", "aria-label", "placeholder"]);
// Set as properties, and compared with what the element has: the user may have changed it.
const LIVE = new Set(["value", "checked"]);

// Describes an element: `h("p.foot", { title }, kids)`. Attributes may be left out. Kids are texts, numbers, descriptions,
// lists of them, or nothing.
export function h(name, ...kids) {
  const [tag, ...classes] = name.split(".");
  const props = isProps(kids[0]) ? kids.shift() : {};
  if (classes.length) props.class = classes.join(" ");
  return { tag, props, kids: listOf(kids), key: props.key };
}

function listOf(kids) {
  const list = [];
  for (const kid of kids.flat(Infinity)) {
    if ((kid ?? "") === "" || kid === false) continue;
    list.push(typeof kid === "object" ? kid : { text: String(kid) });
  }
  return list;
}

const isProps = (it) => it !== null && typeof it === "object" && !Array.isArray(it) && (it.tag ?? it.text ?? it.memo) === undefined;

// Describes an element that stays as it is while `depends` holds the same values.
export const memo = (key, depends, make) => ({ key, memo: depends, make });

// Shows a list of descriptions as the content of an element, in place of those shown before.
export function render(parent, kids) {
  const before = parent.shown;
  const after = listOf(kids);
  // Where drawing fails half-way, the next one begins anew.
  parent.shown = undefined;
  if (!before) parent.replaceChildren();
  patchKids(parent, before ?? [], after, false);
  parent.shown = after;
}

function create(node, svg) {
  if (node.memo) {
    node.node = node.make();
    return (node.el = create(node.node, svg));
  }
  if (node.text !== undefined) return (node.el = document.createTextNode(visible(node.text)));
  const inside = svg || node.tag === "svg";
  const el = inside ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  for (const kid of node.kids) el.append(create(kid, inside));
  for (const name in node.props) set(el, name, undefined, node.props[name]);
  return (node.el = el);
}

function set(el, name, was, now) {
  if (name === "key") return;
  if (LIVE.has(name)) {
    if (el[name] !== now) el[name] = now;
    return;
  }
  if (was === now) return;
  if (name.startsWith("on")) el[name] = now ?? null;
  else if ((now ?? false) === false) el.removeAttribute(name);
  else if (name === "href" && !/^([#/](?!\/)|http:\/\/127\.0\.0\.1:\d+\/(#|$))/.test(now)) throw new Error("a link leads away from this page");
  else el.setAttribute(name, now === true ? "" : READ.has(name) ? visible(String(now)) : now);
}

function patch(old, node, svg) {
  if (old.memo && node.memo) {
    const same = old.memo.length === node.memo.length && old.memo.every((value, at) => value === node.memo[at]);
    node.node = same ? old.node : node.make();
    return (node.el = same ? old.el : patch(old.node, node.node, svg));
  }
  if (old.memo || node.memo || old.tag !== node.tag) {
    const el = create(node, svg);
    old.el.replaceWith(el);
    return el;
  }
  const el = (node.el = old.el);
  if (node.text !== undefined) {
    if (old.text !== node.text) el.data = visible(node.text);
    return el;
  }
  const inside = svg || node.tag === "svg";
  patchKids(el, old.kids, node.kids, inside);
  for (const name in old.props) if (!(name in node.props)) set(el, name, old.props[name], undefined);
  for (const name in node.props) set(el, name, old.props[name], node.props[name]);
  return el;
}

// Kids with a key keep their element wherever they go; the others are matched by their place.
function patchKids(parent, before, after, svg) {
  const keyed = new Map();
  const rest = [];
  for (const old of before) {
    if (old.key === undefined) rest.push(old);
    else if (keyed.has(old.key)) old.el.remove();
    else keyed.set(old.key, old);
  }
  let next = 0;
  const matches = after.map((node) => {
    if (node.key === undefined) return rest[next++];
    const old = keyed.get(node.key);
    keyed.delete(node.key);
    return old;
  });
  for (const old of keyed.values()) old.el.remove();
  for (const old of rest.slice(next)) old.el.remove();
  let place = parent.firstChild;
  after.forEach((node, at) => {
    const old = matches[at];
    if (old && old.el === place) place = place.nextSibling;
    const el = old ? patch(old, node, svg) : create(node, svg);
    if (el.parentNode !== parent || el.nextSibling !== place) parent.insertBefore(el, place);
  });
}
