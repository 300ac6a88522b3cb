// Words, times and texts as people read them. Pure functions.

// Characters that hide, turn the direction of writing, or control a terminal; tab and line feed stay.
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;
const escape = (char) => `\\u{${char.codePointAt(0).toString(16)}}`;

// A text with hidden characters made visible.
export const visible = (text) => text.replace(HIDDEN, escape);

// The beginning of a text, with an ellipsis where something is left out.
export function cut(text, most = 240) {
  if (text.length <= most) return text;
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, "") + "…";
}

// A value of a record on one line; nothing where there is none.
export function plain(value) {
  if ((value ?? "") === "") return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// A status as it is compared: without case, with `_`, space and `-` as one; `done`, `complete` and `completed` are one.
export function canonical(word) {
  if (known.has(word)) return known.get(word);
  const text = plain(word).trim().toLowerCase().replace(/[_\s-]+/g, "-");
  const found = text === "complete" || text === "completed" ? "done" : text;
  if (known.size < 1000) known.set(word, found);
  return found;
}
// At most 1,000 words: each is asked for thousands of times.
const known = new Map();

// A time in milliseconds since 1970: a text (RFC 3339, also without a zone, or a date), or a number of 10 digits (seconds)
// or 13. NaN where it is none.
export function time(text) {
  if (Number.isInteger(text) && text > 0) return { 10: text * 1000, 13: text }[String(text).length] ?? NaN;
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\d/.test(text)) return NaN;
  const whole = text.replace(" ", "T");
  return Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$/i.test(whole) || !whole.includes("T") ? whole : whole + "Z");
}

// The names of the times of a record, as the files may have them.
export const TIMES = {
  started: ["started_at", "startedAt", "started", "created_at", "createdAt", "created"],
  ended: ["completed_at", "completedAt", "completed", "done_at", "doneAt", "failed_at", "failedAt"],
  blocked: ["blocked_at", "blockedAt"],
  updated: ["updated_at", "updatedAt", "last_updated", "lastUpdated", "updated"],
};

// The first time that a record has under some names; undefined where it has none.
export const firstTime = (record, names) => names.map((name) => time(record[name])).find((at) => !Number.isNaN(at));

const UNITS = [[60, "s", 1], [3600, "min", 60], [86400, "h", 3600], [86400 * 60, "d", 86400], [86400 * 730, "mo", 86400 * 30.44], [Infinity, "y", 86400 * 365.25]];

// How long ago, in one unit: `16 s`, `14 min`, `3 h`.
export function ago(at, now = Date.now()) {
  const seconds = Math.round((now - at) / 1000);
  if (seconds < -1) return "in " + ago(now, at);
  const [, unit, size] = UNITS.find(([most]) => seconds < most);
  return `${Math.max(0, Math.floor(seconds / size))} ${unit}`;
}

// Date and time on this machine's clock, as `2026-03-10 16:44:10`: so Swedish writes them.
export const exact = (at) => new Date(at).toLocaleString("sv");

// The time alone where it is of today, else with its date.
export function clock(at, now = Date.now()) {
  const text = exact(at);
  return text.slice(0, 10) === exact(now).slice(0, 10) ? text.slice(11, 16) : text.slice(0, 16);
}

export const num = (number) => number.toLocaleString("en");

export const count = (number, noun, many = noun + "s") => `${num(number)} ${number === 1 ? noun : many}`;

// Whether a text holds every word of a query, without case.
export function matches(query, ...texts) {
  if (!query) return true;
  const text = texts.map(plain).join(" ").toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
