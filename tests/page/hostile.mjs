// Two hundred hostile texts in every field of every kind of record: nothing runs, nothing is fetched from elsewhere, nothing
// is wider than the page, and no text turns what is around it.
import assert from "node:assert/strict";
import { BUS, SESSIONS, STATUS, TASKS, VIEWS } from "./bench.mjs";

const MARKUP = ["<script>window.ran=1</script>", "<img src=x onerror=window.ran=1>", "<svg onload=window.ran=1>", "</span></li></ol><h1 id=moved>", "<style>*{display:none}</style>", "<iframe srcdoc='<script>parent.ran=1</script>'>",
  "<a href=javascript:window.ran=1 id=bad>x</a>", "<base href=http://127.0.0.1:1/>", "<meta http-equiv=refresh content='0;url=javascript:window.ran=1'>", "<link rel=stylesheet href=http://127.0.0.1:1/x>", "<form action=http://127.0.0.1:1/><input autofocus onfocus=window.ran=1>",
  "<template><script>window.ran=1</script></template>", "<details open ontoggle=window.ran=1>", "<math><mi xlink:href=javascript:window.ran=1>", "{{constructor.constructor('window.ran=1')()}}", "${window.ran=1}", "`${window.ran=1}`", "<!--", "-->", "]]>", "&lt;script&gt;window.ran=1&lt;/script&gt;", "&#0;", "\u0000<script>"];
const LINKS = ["javascript:window.ran=1", "JaVaScRiPt:window.ran=1", "java\nscript:window.ran=1", "\u0001javascript:window.ran=1", "data:text/html,<script>window.ran=1</script>", "vbscript:x", "//127.0.0.1:1/x", "http://127.0.0.1:1/x", "\\\\127.0.0.1\\x", "../../../etc/passwd", "..", ".", "#now?open=story/x", "?a=b#c", "%2e%2e%2f", "%00", "%", "%zz", "a/b/c", "/", "blob:null"];
const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then", "text", "tag", "memo", "key", "none", "undefined", "null", "NaN", "true", "0", "-1", "1e999", "[object Object]", "all", "length"];
const TURNED = ["\u202egnp.exe", "\u2066\u202eabc\u2069", "\u200f\u05d0\u05d1", "\u05e9\u05dc\u05d5\u05dd 123 abc", "\u0645\u0631\u062d\u0628\u0627 (abc)", "\u202d\u202a\u202b\u202c", "abc\u2067def", "\u061c\u0623", "\ufeffstart", "zero\u200bwidth", "soft\u00adhyphen", "\u2028line\u2029paragraph", "tag\u{e0041}\u{e0042}", "\ufff9annotated\ufffa"];
const CONTROL = ["\u001b[2J\u001b[31mred", "\u0007bell", "back\u0008space", "carriage\rreturn", "many\n\n\n\nlines", "tab\there", "\u009b31m", "\u007f", "\u0000nul", "\u001b]8;;http://127.0.0.1:1\u0007link\u001b]8;;\u0007"];
const HUGE = ["x".repeat(20000), "word ".repeat(5000), "\u0300".repeat(2000) + "a", ("a" + "\u0300\u0301\u0302\u0303\u0304".repeat(20)).repeat(30), "\u{1f469}\u200d\u{1f467}".repeat(1500), "\u200d".repeat(3000), "W".repeat(300), "\ud83d\ude00".repeat(3000), "(".repeat(4000), "\u3000".repeat(2000), "\n".repeat(3000), "\ufdfd".repeat(500)];
const JSONISH = ['{"a":1}', "[1,2", '"', "'", "\\", "\\u202e", "'; DROP TABLE stories; --", "$(touch /tmp/x)", "`id`", "=cmd|' /C calc'!A0", "%s%n%x", "%(x)s", "{0}", "../..\\..", "\r\nSet-Cookie: a=b", "a\u0000b"];
export const texts = [...MARKUP, ...LINKS, ...NAMES, ...TURNED, ...CONTROL, ...HUGE, ...JSONISH];
while (texts.length < 200) texts.push(`${MARKUP[texts.length % MARKUP.length]}${TURNED[texts.length % TURNED.length]}${LINKS[texts.length % LINKS.length]}`);

// An own member of any name, also `__proto__`.
const own = (pairs) => Object.defineProperties({}, Object.fromEntries(pairs.map(([name, value]) => [name, { value, enumerable: true, configurable: true, writable: true }])));

function files() {
  const any = (at) => texts[at % texts.length];
  const record = (text, at) => own([["title", text], ["description", any(at + 1)], ["status", any(at + 2)], ["state", any(at + 3)], ["owner", any(at + 4)], ["epic_id", any(at + 5)], ["story_id", any(at + 6)], ["subagent_type", any(at + 7)], ["nickname", any(at + 8)],
    ["created_at", any(at + 9)], ["updated_at", text], ["error", text], ["goal", text], ["depends_on", [text, any(at + 1)]], ["blocks", text], ["blocked_reason", text], ["nested", { [`k${at}`]: text, list: [text] }], [text, text]]);
  const map = (list) => own(list.map((text, at) => [text, record(text, at)]));
  return {
    [STATUS]: { epics: map(texts), stories: map(texts) },
    [TASKS]: { tasks: map(texts) },
    [SESSIONS]: { sessions: map(texts) },
    [BUS]: texts.map((text, at) => JSON.stringify(own([["timestamp", at % 2 ? text : new Date().toISOString()], ["from", text], ["to", any(at + 1)], ["type", at % 3 ? text : "question"], ["story_id", any(at + 2)], ["message", text], [text, text]]))).join("\n") + "\n",
  };
}

// What is wrong on a page, as texts.
export function inspect() {
  const found = [];
  if (window.ran) found.push("something ran");
  for (const el of document.querySelectorAll("script, iframe, base, style, object, embed, form:not(.filters), img, template, math, #moved, #bad")) if (!el.closest("head")) found.push(el.outerHTML.slice(0, 100));
  for (const el of document.querySelectorAll("*")) for (const { name, value } of el.attributes) {
    if (/^on/.test(name) || name === "style" || name === "srcdoc") found.push(`${name}=${value.slice(0, 80)}`);
    if (/href|src|action/.test(name) && !el.closest("head") && !/^[#/](?!\/)/.test(value)) found.push(`${name}=${value.slice(0, 80)}`);
  }
  const width = document.documentElement;
  const widest = () => [...document.querySelectorAll("body *")].filter((el) => el.getBoundingClientRect().right > width.clientWidth).slice(0, 3).map((el) => el.outerHTML.slice(0, 200)).join("\n");
  if (width.scrollWidth > width.clientWidth) found.push(`wider than the page: ${width.scrollWidth} of ${width.clientWidth}: ${widest()}`);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(node.data)) found.push(`hidden characters: ${JSON.stringify(node.data.slice(0, 60))}`);
  const tall = [...document.querySelectorAll(".rows > li:not(.is-open)")].map((li) => li.getBoundingClientRect().height).filter((height) => height > 400);
  if (tall.length) found.push(`rows of ${tall.map(Math.round)} px`);
  for (const name of ["polluted", "0"]) if (name in {}) found.push(`Object.prototype has ${name}`);
  return found;
}

export default async function (bench) {
  for (const [name, content] of Object.entries(files())) bench.write(name, content);
  for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
    const page = await bench.page({ viewport });
    page.on("request", (request) => { if (!request.url().startsWith(bench.base)) bench.errors.push(`asked for ${request.url()}`); });
    await page.goto(`${bench.base}/#board`);
    await bench.until(page, () => document.querySelectorAll(".card").length > 100);
    for (const view of [...VIEWS, "board?group=epic", "board?group=owner", "messages?q=script"]) {
      await page.goto(`${bench.base}/#${view}`);
      await bench.until(page, () => document.querySelector("main section, main .rows, main .board") && !document.querySelector("main").innerText.includes("Loading."));
      await page.waitForTimeout(100);
      assert.deepEqual(await page.evaluate(inspect), [], `${view}, ${viewport.width} px`);
      assert.ok(!(await page.locator("main").innerText()).includes("This cannot be shown"), view);
    }
    // Every record opens, by its address; one of eight unless FLOW_LONG is set. The whole page is inspected each time, so every 25th record is over the full board,
    // and the others are over one whose search finds nothing.
    const kinds = viewport.width > 400 ? ["story", "task", "epic", "session"] : ["story"];
    const every = process.env.FLOW_LONG ? 1 : 8;
    const ofKind = (kind) => (viewport.width > 400 ? texts.filter((_, at) => kind === "story" || at % 3 === 0) : texts.slice(0, 60));
    const asked = kinds.flatMap((kind) => ofKind(kind).filter((_, at) => at % every === 0).map((text) => [kind, text]));
    for (const isFull of [true, false]) {
      await page.goto(`${bench.base}/#board${isFull ? "" : "?q=a text of no record"}`);
      await bench.until(page, (isFull) => isFull === (document.querySelectorAll(".card").length > 100), isFull);
      for (const [kind, text] of asked.filter((_, at) => isFull === (at % 25 === 0))) {
        await page.evaluate(([kind, id]) => { location.hash = `#${kind}/${encodeURIComponent(id)}`; }, [kind, text]);
        await bench.until(page, ([kind, id]) => document.querySelector("#app").dataset.open === `${kind}/${id}` && document.querySelector(".panel .facts, .panel .empty") && !document.querySelector(".panel").innerText.includes("Loading."), [kind, text]);
        assert.deepEqual(await page.evaluate(inspect), [], `${kind} ${JSON.stringify(text.slice(0, 60))}`);
      }
    }
    // Every message opens.
    await page.goto(`${bench.base}/#messages`);
    await page.waitForSelector(".messages li");
    await page.evaluate(() => { for (const button of document.querySelectorAll(".messages li > button")) button.click(); });
    await bench.until(page, () => document.querySelectorAll(".messages .is-open").length > 150);
    assert.deepEqual(await page.evaluate(inspect), [], "open messages");
    await page.context().close();
  }
  bench.figure("page_hostile_texts", texts.length);
}
