// What the pictures share: style sheet, frame, table, columns, scale, legend, texts that fit.
import { h } from "./dom.js";
import { canonical, cut, visible } from "./text.js";
import { lookOf, mark, numbers, section } from "./parts.js";

// A picture is shown once its style is there. Where the server is gone in between, it is shown without one until the page is loaded again.
await new Promise((done) => {
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: "/web/pictures.css", onload: done, onerror: done });
  document.head.append(link);
});

// A picture for the eye and the mouse, and its numbers as a table (its heads and rows) for everything else.
export const picture = (title, drawing, heads, rows) => section(title, "", h("div.drawing", { key: "drawing" }, drawing), heads && numbers(title, heads, rows));

// The mark of a state at a place within a picture.
export const markAt = (word, x, y) => h("svg", { ...mark(word).props, x, y, width: "12", height: "12" }, mark(word).kids);

// The shapes of a picture with their words, a few of them.
export const legend = (words) => h("p.legend", [...new Set(words.map(canonical))].sort().slice(0, 8).map((word) => h("span", { key: word, class: lookOf(word) }, mark(word), h("span", word))));

// A colour of a picture, before its word.
export const swatch = (name) => h("svg.swatch", { width: "12", height: "12", "aria-hidden": "true" }, h("rect", { class: name, width: "12", height: "12" }));

const pen = new OffscreenCanvas(1, 1).getContext("2d");
pen.font = "12px system-ui, sans-serif";
// The width of a text in pixels.
export const widthOf = (text) => pen.measureText(visible(text)).width;

// As much of a text as has place, with an ellipsis where something is left out.
export function fit(text, width) {
  let most = Math.max(0, Math.min(text.length, Math.ceil(width / 4)));
  while (most > 0 && widthOf(cut(text, most)) > width) most--;
  return cut(text, most);
}

export const percent = (share) => `${(share * 100).toFixed(2)}%`;

// A column of a colour between two places, which are shares of the width, so high above `bottom`.
export const column = (name, from, to, bottom, high, title) =>
  h("rect", { class: name, x: percent(from), width: percent(Math.max(0, to - from)), y: (bottom - high).toFixed(1), height: high.toFixed(1) }, title && h("title", title));

// What is at the ends of a picture's width, and between.
export const scale = (...texts) => h("p.scale", { "aria-hidden": "true" }, texts.map((text) => h("span", text)));
