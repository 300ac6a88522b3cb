// Messages over time: how many of all match, by sender. A span drawn over it filters the list.
import { h } from "./dom.js";
import { data } from "./data.js";
import { count, cut, exact, num, time } from "./text.js";
import { column, picture, scale, swatch } from "./picture.js";

const HOUR = 3600000;
const WIDTHS = [["1h", HOUR, "hour"], ["1d", 24 * HOUR, "day"], ["1w", 168 * HOUR, "week"]];
// Buckets that are drawn, the newest; the height; how many of the most frequent senders have a colour.
const [MOST, HEIGHT, SENDERS] = [240, 72, 4];

// The narrowest width that draws a whole span; of an unknown span, the first.
const widthOf = (bus) => WIDTHS.find(([, width]) => !((time(bus?.last_at) - time(bus?.first_at)) / width >= MOST)) ?? WIDTHS.at(-1);

export const path = (query, bus) => `/api/bus/messages?limit=0&by=from&buckets=${widthOf(bus)[0]}${query && `&${query}`}`;

// The buckets between which a span is being drawn.
let brush;

export function view(app, query, bus) {
  const answer = data(path(query, bus));
  if (!answer?.buckets.length) return null;
  const [, width, unit] = widthOf(bus);
  const last = time(answer.buckets.at(-1).from);
  const first = Math.max(time(answer.buckets[0].from), last - (MOST - 1) * width);
  const places = Math.round((last - first) / width) + 1;
  const shown = answer.buckets.filter(({ from }) => time(from) >= first);
  const most = Math.max(...shown.map(({ total }) => total));
  const sums = new Map();
  for (const { by } of shown) for (const name in by) sums.set(name, (sums.get(name) ?? 0) + by[name]);
  const senders = [...sums].sort((a, b) => b[1] - a[1]).slice(0, SENDERS).map(([name]) => name);
  const names = [...senders.map((name) => cut(name, 40)), "Others"];
  const colour = (at) => (at < senders.length ? `sender-${at}` : "absent");
  const countsOf = ({ by, total }) => {
    const counts = senders.map((name) => (Object.hasOwn(by, name) ? by[name] : 0));
    return [...counts, counts.reduce((rest, number) => rest - number, total)];
  };
  const placeOf = ({ from }) => Math.round((time(from) - first) / width);
  const label = ({ from }) => exact(time(from)).slice(0, width === HOUR ? 16 : 10);
  const bars = shown.map((bucket) => {
    const [place, counts] = [placeOf(bucket), countsOf(bucket)];
    let bottom = HEIGHT;
    return h("g", h("title", `${label(bucket)}: ${count(bucket.total, "message")}`), counts.map((number, at) => {
      const high = (number / most) * (HEIGHT - 2);
      const rect = number > 0 && column(colour(at), place / places, (place + 0.86) / places, bottom, high);
      bottom -= high;
      return rect;
    }));
  });
  const choose = (from, to) => app.set({ since: new Date(first + from * width).toISOString(), until: new Date(first + (to + 1) * width - 1).toISOString() });
  const placeAt = ({ clientX, currentTarget }) => {
    const { left, width: wide } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(places - 1, Math.floor(((clientX - left) / wide) * places)));
  };
  const draw = (span) => ((brush = span), app.redraw());
  const [from, to] = brush?.toSorted((a, b) => a - b) ?? [];
  return picture("Messages over time", [
    h("svg.histogram", {
      height: HEIGHT, "aria-hidden": "true",
      onpointerdown: (event) => { event.preventDefault(); event.currentTarget.setPointerCapture(event.pointerId); draw([placeAt(event), placeAt(event)]); },
      onpointermove: (event) => { if (brush) draw([brush[0], placeAt(event)]); },
      onpointerup: () => { if (brush) [brush] = [undefined, choose(from, to)]; },
      onpointercancel: () => draw(),
    }, bars, brush && column("brush", from / places, (to + 1) / places, HEIGHT, HEIGHT)),
    scale(label(shown[0]), "Drag to select a time range", label(shown.at(-1))),
    h("p.foot", h("span.legend", names.map((name, at) => h("span", swatch(colour(at)), h("span", name)))), `up to ${num(most)} per ${unit}`),
  ], ["Time", "Messages", ...names],
  shown.toReversed().map((bucket) => [h("button", { type: "button", onclick: () => choose(placeOf(bucket), placeOf(bucket)) }, label(bucket)), bucket.total, ...countsOf(bucket)]));
}
