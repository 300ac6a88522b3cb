// How the plan moved: burn-ups of the epics, and open, done, added and removed records for each day, with the time in a status.
import { h } from "./dom.js";
import { data } from "./data.js";
import { ago, cut, num, plain, time } from "./text.js";
import { lookOf, numbers, state, table } from "./parts.js";
import { column, picture, scale, swatch } from "./picture.js";

const DAY = 86400000;
// The newest days with a change.
const MOST = 250;
// The height of a burn-up, and of the two drawings of a plan.
const [LOW, HIGH, MOVED] = [20, 120, 64];

export const EPICS = "/api/history?per=epic";
const path = (collection) => `/api/history${/^(stories|tasks)$/.test(collection) ? `?collection=${collection}` : ""}`;

const day = (text) => plain(text).slice(0, 10);
// Where a time is within a span, as a share of the width.
const placesOf = (from, until) => (text) => Math.max(0, Math.min(1, (time(text) - from) / Math.max(DAY / 24, until - from)));
const highest = (buckets) => Math.max(1, ...buckets.map(({ open, done }) => open + done));

// All records and of these the done ones over time, as steps: from each change to the next one, the last to now.
function steps(buckets, placeOf, height) {
  const unit = height / highest(buckets);
  const places = [...buckets.map(({ from }) => placeOf(from)), 1];
  const draw = (name, numberOf) => buckets.map((bucket, at) => column(name, places[at], places[at + 1], height, numberOf(bucket) * unit));
  return [draw("whole", ({ open, done }) => open + done), draw("done", ({ done }) => done)];
}

const epicsOf = () => new Map((data(EPICS)?.epics ?? []).map(({ id, buckets }) => [id, buckets]));
const firstOf = (epics) => Math.min(...[...epics.values()].map((buckets) => time(buckets[0].from)));

// The burn-up of one epic: its stories over time, and those of them that are done. Nothing where nothing is known.
export function burnup(id) {
  const epics = epicsOf();
  const buckets = epics.get(id);
  if (!buckets?.length) return null;
  return h("svg.burnup", { width: "100%", height: LOW, "aria-hidden": "true" }, steps(buckets, placesOf(firstOf(epics), Date.now()), LOW));
}

// The burn-ups as a table.
export function burnups(list) {
  const epics = epicsOf();
  const rows = list.flatMap(({ id }) => (epics.get(id) ?? []).slice(-5).map(({ from, open, done }) => [cut(plain(id), 80), day(from), done, open + done]));
  return rows.length > 0 && [h("p.foot", `The chart in a row shows the stories of the epic from ${day(new Date(firstOf(epics)).toISOString())} to now, the done ones in green; each has its own scale.`),
    numbers("Last five days with changes of each epic", ["Epic", "Day", "Done", "Stories"], rows.slice(0, 500))];
}

export const needs = (collection) => [path(collection)];

// How the plan moved; nothing while it is not known.
export function view(collection) {
  const answer = data(path(collection));
  if (!answer?.buckets.length) return null;
  const what = answer.collection;
  const buckets = answer.buckets.slice(-MOST);
  const last = buckets.at(-1);
  const from = time(buckets[0].from);
  const until = Math.max(time(last.from) + DAY, Date.now());
  const placeOf = placesOf(from, until);
  const peak = Math.max(1, ...buckets.flatMap(({ added, removed }) => [added, removed]));
  const middle = MOVED / 2;
  const bars = (name, field) => buckets.map((bucket) => {
    const [high, place] = [Math.max(2, (bucket[field] / peak) * (middle - 2)), placeOf(bucket.from)];
    return bucket[field] > 0 && column(name, place, place + Math.max(0.004, (DAY / (until - from)) * 0.8), field === "added" ? middle - 1 : middle + 1 + high, high, `${day(bucket.from)}: ${bucket.added} added, ${bucket.removed} removed`);
  });
  const line = (y) => h("line.grid", { x2: "100%", y1: y, y2: y });
  // One day alone has not moved.
  const isDrawn = buckets.length > 1;
  return picture(`Progress of ${what}`, [
    isDrawn && [
      h("svg.moved", { height: HIGH, "aria-hidden": "true" }, steps(buckets, placeOf, HIGH), line(HIGH - 1), h("text", { x: "4", y: "12" }, `${num(highest(buckets))} ${what}`)),
      h("svg.moved", { height: MOVED, "aria-hidden": "true" }, line(middle), bars("running", "added"), bars("bad", "removed")),
      scale(day(buckets[0].from), "now")],
    h("p.foot", isDrawn && swatch("whole"), ` ${num(last.open)} open now, `, isDrawn && swatch("done"), ` ${num(last.done)} done.`, isDrawn && [` Below, by day, up to ${num(peak)}: `, swatch("running"), " added, ", swatch("bad"), " removed."], !collection && ` These are only ${what}; the list below has all changes.`),
    stays(answer, what),
  ], ["Day", "Open", "Done", "Added", "Removed", "Reopened", "Weakened"],
  buckets.toReversed().map(({ from, open, done, added, removed, reopened, weakened }) => [day(from), open, done, added, removed, reopened, weakened]));
}

// How long records were in a status before they left it.
function stays({ time_in_status: list, unknown }, what) {
  const shown = list.filter(({ status }) => lookOf(status) !== "done").slice(0, 12);
  const length = (seconds) => ago(0, seconds * 1000);
  return shown.length > 0 && h("div.numbers", table(["Status", "Median", "85th percentile", "Measured"],
    shown.map(({ status, n, p50_seconds: half, p85_seconds: most }) => [state(status), length(half), length(most), num(n)]),
    `Time of ${what} in a status${unknown ? `; ${num(unknown)} not measured, as the start or end is unknown` : ""}`));
}
