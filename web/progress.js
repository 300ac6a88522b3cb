// How the plan moved: burn-ups of the epics, and open, done, added and removed records for each day, with the time in a status.
import { h } from "./dom.js";
import { ATTENTION, METRICS, data } from "./data.js";
import { ago, canonical, cut, num, plain, time } from "./text.js";
import { idLink, lookOf, numbers, state } from "./parts.js";
import { percent, picture } from "./picture.js";

const DAY = 86400000;
// The newest days or weeks.
const MOST = 60;
// The height of a burn-up, and of the two drawings of a plan.
const [LOW, HIGH, MOVED] = [20, 120, 64];

export const EPICS = "/api/history?per=epic";
const path = (by, collection) => `/api/history?by=${by}${/^(stories|tasks)$/.test(collection) ? `&collection=${collection}` : ""}`;

const share = ({ from, until }, at) => Math.max(0, Math.min(1, (at - from) / Math.max(DAY / 24, until - from)));
const day = (text) => plain(text).slice(0, 10);

// Steps of a line as rectangles, as their places are shares of the width: from each point to the next one, the last to now.
function steps(span, points, height, most, name, valueOf) {
  return points.map((point, at) => {
    const [x, end] = [share(span, point.at), points[at + 1] ? share(span, points[at + 1].at) : 1];
    const tall = (valueOf(point) / most) * height;
    return h("rect", { key: `${name} ${point.at}`, class: name, x: percent(x), width: percent(Math.max(0, end - x)), y: (height - tall).toFixed(1), height: tall.toFixed(1) });
  });
}

const pointsOf = (buckets) => buckets.map((bucket) => ({ ...bucket, at: time(bucket.from) }));

// The burn-up of one epic: its stories over time, and those of them that are done. Nothing where nothing is known.
export function burnup(id) {
  const epics = data(EPICS)?.epics ?? [];
  const own = epics.find((epic) => epic.id === id)?.buckets;
  if (!own?.length) return null;
  const span = { from: Math.min(...epics.map((epic) => time(epic.buckets[0].from))), until: Date.now() };
  const points = pointsOf(own);
  const most = Math.max(1, ...points.map(({ open, done }) => open + done));
  const [first, last] = [points[0], points.at(-1)];
  return h("svg.burnup", { width: "100%", height: LOW, "aria-hidden": "true" }, h("title", `${day(first.from)}: ${first.done} of ${first.open + first.done} done; ${day(last.from)}: ${last.done} of ${last.open + last.done}`),
    steps(span, points, LOW, most, "whole", ({ open, done }) => open + done), steps(span, points, LOW, most, "good", ({ done }) => done));
}

// The burn-ups as a table.
export function table(list) {
  const epics = new Map((data(EPICS)?.epics ?? []).map((epic) => [epic.id, epic.buckets]));
  const rows = list.filter(({ id }) => epics.has(id)).flatMap(({ id }) => epics.get(id).slice(-5).map((bucket, at) => [cut(plain(id), 80), day(bucket.from), bucket.done, bucket.open + bucket.done]));
  const first = Math.min(...[...epics.values()].map((buckets) => time(buckets[0].from)));
  return [rows.length > 0 && h("p.foot", `The drawing in a row: its stories from ${new Date(first).toISOString().slice(0, 10)} to now, the done ones in green; each has its own scale.`), numbers("The last five days with a change of each epic", ["Epic", "Day", "Done", "Of"], rows.slice(0, 500), "No changes are known.")];
}

// Days, or weeks where there are too many.
export const needs = (collection) => [path("day", collection), ...(data(path("day", collection))?.buckets.length > MOST ? [path("week", collection)] : [])];

// How the plan moved; nothing while it is not known.
export function view(collection) {
  const answer = data(needs(collection).at(-1));
  if (!answer?.buckets.length) return null;
  const { by, collection: what } = answer;
  const points = pointsOf(answer.buckets.slice(-MOST));
  const width = by === "day" ? DAY : 7 * DAY;
  const span = { from: points[0].at, until: Math.max(points.at(-1).at + width, Date.now()) };
  const most = Math.max(1, ...points.map(({ open, done }) => open + done));
  const peak = Math.max(1, ...points.flatMap(({ added, removed }) => [added, removed]));
  const last = points.at(-1);
  const bars = (look, valueOf, up) => points.map((point) => {
    const tall = valueOf(point) && Math.max(2, (valueOf(point) / peak) * (MOVED / 2 - 2));
    return tall > 0 && h("rect", { key: `${look} ${point.at}`, class: look, x: percent(share(span, point.at)), width: percent(Math.max(0.004, (width / (span.until - span.from)) * 0.8)), y: (up ? MOVED / 2 - tall - 1 : MOVED / 2 + 1).toFixed(1), height: tall.toFixed(1) }, h("title", `${day(point.from)}: ${point.added} added, ${point.removed} removed`));
  });
  return picture(`How the ${what} moved`, [
    // One day alone has not moved.
    points.length > 1 && h("div.moved", h("svg", { height: HIGH, "aria-hidden": "true" }, steps(span, points, HIGH - 4, most, "open", ({ open, done }) => open + done), steps(span, points, HIGH - 4, most, "good", ({ done }) => done),
      h("line.grid", { x2: "100%", y1: HIGH - 4, y2: HIGH - 4 }), h("text", { x: "4", y: "12" }, `${num(most)} ${what}`)),
    h("svg", { height: MOVED, "aria-hidden": "true" }, h("line.grid", { x2: "100%", y1: MOVED / 2, y2: MOVED / 2 }), bars("running", (one) => one.added, true), bars("bad", (one) => one.removed, false)),
    h("p.scale", { "aria-hidden": "true" }, h("span", day(points[0].from)), h("span", "now"))),
    h("p.foot", swatch("open"), ` now ${num(last.open)} open, `, swatch("good"), ` ${num(last.done)} done.`, points.length > 1 && [` Below, for each ${by}, at most ${num(peak)}: `, swatch("running"), " added, ", swatch("bad"), " removed."], !collection && ` Only ${what}; the list below has all changes.`),
    stays(answer, what),
  ], numbers(`How the ${what} moved`, [by === "day" ? "Day" : "Week from", "Open", "Done", "Added", "Removed", "Reopened", "Weakened"], points.toReversed().map((one) => [day(one.from), one.open, one.done, one.added, one.removed, one.reopened, one.weakened])));
}

const swatch = (look) => h("svg.swatch", { width: "12", height: "12", "aria-hidden": "true" }, h("rect", { class: look, width: "12", height: "12" }));

// How long records were in a status, and those that are in it now; of the blocked ones also which is so longest.
function stays({ time_in_status: list, unknown }, what) {
  const metrics = data(METRICS)?.[what];
  const now = new Map(Object.entries(metrics?.by_status ?? metrics?.by_state ?? {}).map(([word, number]) => [canonical(word), number]));
  const missing = [...now.keys()].filter((word) => lookOf(word) === "blocked" && now.get(word) && !list.some(({ status }) => canonical(status) === word));
  const shown = [...missing.map((status) => ({ status, n: 0 })), ...list.filter(({ status }) => lookOf(status) !== "done")].slice(0, 12);
  if (!shown.length) return null;
  const longest = (data(ATTENTION)?.items ?? []).filter(({ label, source, since }) => label === "blocked" && since && (source === "tasks") === (what === "tasks")).at(-1);
  return h("table.chart.stays", h("caption", `Time of ${what} in a status${unknown ? `; not measured: ${num(unknown)} without a known beginning or end` : ""}`),
    h("thead", h("tr", h("th", { scope: "col" }, "Status"), ["median", "85th percentile", "measured", "now"].map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", shown.map((one) => h("tr", { key: one.status }, h("th", { scope: "row" }, state(one.status)),
      [one.p50_seconds, one.p85_seconds].map((seconds) => h("td.number", one.n > 0 && ago(0, seconds * 1000))), h("td.number", num(one.n)),
      h("td.number", num(now.get(canonical(one.status)) ?? 0), lookOf(one.status) === "blocked" && longest && [", longest ", idLink(what, longest.id), ` ${ago(time(longest.since))}`])))));
}
