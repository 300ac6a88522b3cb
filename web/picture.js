// What the pictures share: their style sheet, frames, times as places.
import { h } from "./dom.js";
import { clock, cut, visible } from "./text.js";
import { lookOf, mark, section } from "./parts.js";

// A picture is shown once its style is there. Where the server is gone in between, it is shown without one until the page is loaded again.
await new Promise((done) => {
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: "/web/pictures.css", onload: done, onerror: done });
  document.head.append(link);
});

// A picture for the eye and the mouse, and its numbers as a table for everything else.
export const picture = (title, drawing, table) => section(title, "", h("div.drawing", { key: "drawing" }, drawing), table);

// The mark of a state at a place within a picture.
export const markAt = (word, x, y) => h("svg", { ...mark(word).props, x, y, width: "12", height: "12" }, mark(word).kids);

const pen = new OffscreenCanvas(1, 1).getContext("2d");
// As much of a text as has place, with an ellipsis where something is left out.
export function fit(text, width, font = "12px system-ui, sans-serif") {
  pen.font = font;
  const isWide = (text) => pen.measureText(visible(text)).width > width;
  let most = Math.min(text.length, Math.ceil(width / 4));
  while (most > 0 && isWide(cut(text, most))) most--;
  return cut(text, most);
}

// The shapes of a picture with their words.
export const legend = (words) => h("p.legend", words.map((word) => h("span", { key: word, class: lookOf(word) }, mark(word), h("span", word))));

export const percent = (share) => `${(share * 100).toFixed(2)}%`;

const STEPS = [1, 2, 4, 6, 12, 24].map((hours) => hours * 3600000);

// Whole hours of this machine's clock within a span, at most so many, each with its place and its name.
export function hoursBetween(from, until, most) {
  const step = STEPS.find((one) => (until - from) / one <= most) ?? until - from;
  const zone = (at) => new Date(at).getTimezoneOffset() * 60000;
  const found = [];
  for (let at = Math.ceil((from - zone(from)) / step) * step + zone(from); at < until && found.length < most; at += step) {
    found.push({ at, share: (at - from) / (until - from), name: clock(at, at) });
  }
  return found;
}
