// Messages over time: how many of all match, by sender. A span drawn over it filters the list.
import { h } from "./dom.js";
import { data } from "./data.js";
import { count, cut, exact, num, time } from "./text.js";
import { numbers } from "./parts.js";
import { percent, picture } from "./picture.js";

const HOUR = 3600000;
const WIDTHS = { "1h": HOUR, "1d": 24 * HOUR, "1w": 168 * HOUR };
// Buckets that are drawn, the newest; the height; how many of the most frequent senders have a colour.
const [MOST, HEIGHT, SENDERS] = [240, 72, 4];

// The narrowest width that draws a whole span.
function widthOf(first, last) {
  const span = time(last) - time(first);
  return Object.keys(WIDTHS).find((name) => span / WIDTHS[name] < MOST) ?? (Number.isNaN(span) ? "1h" : "1w");
}

export const path = (query, bus) => `/api/bus/messages?limit=0&by=from&buckets=${widthOf(bus?.first_at, bus?.last_at)}${query && `&${query}`}`;

// The buckets between which a span is being drawn.
let brush;

export function view(app, query, bus) {
  const answer = data(path(query, bus));
  if (!answer?.buckets.length) return null;
  const width = WIDTHS[widthOf(bus?.first_at, bus?.last_at)];
  const last = time(answer.buckets.at(-1).from);
  const first = Math.max(time(answer.buckets[0].from), last - (MOST - 1) * width);
  const places = Math.round((last - first) / width) + 1;
  const shown = answer.buckets.filter(({ from }) => time(from) >= first);
  const most = Math.max(...shown.map(({ total }) => total));
  const sums = new Map();
  for (const { by } of shown) for (const name in by) sums.set(name, (sums.get(name) ?? 0) + by[name]);
  const senders = [...sums].sort((a, b) => b[1] - a[1]).slice(0, SENDERS).map(([name]) => name);
  const colour = (at) => ({ class: at < senders.length ? `sender-${at}` : "open" });
  const of = (bucket) => [...senders.map((name) => bucket.by[name] ?? 0), bucket.total - senders.reduce((sum, name) => sum + (bucket.by[name] ?? 0), 0)];
  const placeOf = (bucket) => Math.round((time(bucket.from) - first) / width);
  const bars = shown.map((bucket) => {
    let y = HEIGHT;
    return h("g", { key: bucket.from }, h("title", `${label(bucket.from, width)}: ${count(bucket.total, "message")}`), of(bucket).map((number, at) => {
      const tall = (number / most) * (HEIGHT - 2);
      y -= tall;
      return number > 0 && h("rect", { ...colour(at), x: percent(placeOf(bucket) / places), width: percent(0.86 / places), y: y.toFixed(1), height: tall.toFixed(1) });
    }));
  });
  const choose = (from, to) => app.set({ since: new Date(first + from * width).toISOString(), until: new Date(first + (to + 1) * width - 1).toISOString() });
  const place = ({ clientX, currentTarget }) => {
    const { left, width: wide } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(places - 1, Math.floor(((clientX - left) / wide) * places)));
  };
  const [from, to] = brush ? [Math.min(...brush), Math.max(...brush)] : [];
  const end = () => { if (brush) [brush] = [undefined, choose(from, to)]; };
  return picture("Messages over time", [
    h("svg.histogram", {
      height: HEIGHT, "aria-hidden": "true",
      onpointerdown: (event) => { event.preventDefault(); event.currentTarget.setPointerCapture(event.pointerId); brush = [place(event), place(event)]; app.redraw(); },
      onpointermove: (event) => { if (brush) brush[1] = place(event), app.redraw(); },
      onpointerup: end, onpointercancel: () => { brush = undefined; app.redraw(); },
    }, bars, brush && h("rect.brush", { x: percent(from / places), width: percent((to - from + 1) / places), height: HEIGHT })),
    h("p.scale", { "aria-hidden": "true" }, h("span", label(shown[0].from, width)), h("span", "Drag to select a time range"), h("span", label(shown.at(-1).from, width))),
    h("p.foot", h("span.legend", [...senders, "others"].map((name, at) => h("span", { key: at }, h("svg", { width: "12", height: "12", "aria-hidden": "true" }, h("rect", { ...colour(at), width: "12", height: "12" })), h("span", cut(name, 40))))), `at most ${num(most)} ${NAMES[width]}`),
  ], numbers("Messages over time", ["From", "Messages", ...senders.map((name) => cut(name, 40)), "Others"],
    shown.toReversed().map((bucket) => [h("button", { type: "button", onclick: () => choose(placeOf(bucket), placeOf(bucket)) }, label(bucket.from, width)), bucket.total, ...of(bucket)])));
}

const NAMES = { [HOUR]: "in an hour", [24 * HOUR]: "in a day", [168 * HOUR]: "in a week" };
const label = (from, width) => exact(time(from)).slice(0, width === HOUR ? 16 : 10);
