// The worktrees of the repository: what each has done, added or taken back in its copy of the plan.
import { h } from "./dom.js";
import { WORKTREES, data, resource } from "./data.js";
import { cut, matches, num, plain } from "./text.js";
import { NO_MATCH, age, bar, empty, listed, rows, section as part, state } from "./parts.js";

// What is counted, in words; what takes something back comes first.
const WORDS = {
  removed: "removed", weakened: "weakened", reopened: "reopened", contradiction: "contradictory", done: "done", added: "added",
  removed_not_open: "removed, not open", archived: "archived", moved: "moved", reworded: "reworded", changed: "changed otherwise",
};
const BACK = new Set(["removed", "weakened", "reopened", "contradiction"]);

const found = (q) => (data(WORKTREES)?.worktrees ?? []).filter((one) => matches(q, one.name, one.branch, one.path, one.commit));
const called = ({ branch, name }) => cut(plain(branch ?? name), 60);

export const needs = () => [WORKTREES];

export function view(app) {
  const { q } = app.params;
  const entry = resource(WORKTREES);
  const list = found(q);
  const { count = 0, note } = entry.data ?? {};
  return [
    h("p.foot", { role: "status" }, entry.data && listed(list.length, count, "worktree")),
    rows("worktrees", entry, "the worktrees", list, row, q ? NO_MATCH : note ?? "No other worktree."),
    count > 0 && note && empty(note),
  ];
}

// The others in Now.
export function section(q) {
  const list = found(q).filter(({ served }) => !served);
  return part("Worktrees", list.length, rows("worktrees", resource(WORKTREES), "the worktrees", list, row, NO_MATCH, 12));
}

function row(tree) {
  const { path, commit, served, progress, changes, overlap, reason } = tree;
  const word = served ? "served" : overlap.length ? "overlap" : { read: "read", missing: "no plan" }[tree.state] ?? tree.state.replace("_", " ");
  const { done, total, of } = progress ?? {};
  const remark = reason ?? (overlap.length > 0 && `also taken elsewhere: ${overlap.map(plain).join(", ")}`);
  return h("li.item", { key: path },
    h("span.s", overlap.length ? h("a", { href: "#now?kind=overlap" }, state(word)) : state(word)),
    h("span.i", { title: `${plain(path)} at ${plain(commit) || "no commit"}` }, h("span.id", called(tree))),
    h("span.n.progress", total > 0 && bar("done", done / total, true)),
    h("span.w", total > 0 && `${num(done)} of ${num(total)} ${of}`),
    h("span.t", served ? "this page shows its plan" : difference(changes), remark && `; ${cut(remark, 160)}`, h("span.count", ` ${plain(path)}`)),
    h("span.a", tree.last_write ? age(tree.last_write, " ago") : "never written"));
}

function difference(changes) {
  if (!changes) return h("span.absent", "not compared");
  const words = Object.entries(WORDS).filter(([name]) => changes[name] > 0);
  if (!words.length) return h("span.absent", "no difference");
  return words.map(([name, word], at) => [at > 0 && ", ", h("span", { class: BACK.has(name) && "bad" }, `${num(changes[name])} ${word}`)]);
}
