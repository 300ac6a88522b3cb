// Learns of changes. One visible tab holds the stream and tells the others: a browser opens six connections to a server at
// most, and a stream holds one.
export const LOCK = "flow-stream";
// How long a long poll waits for a change, in seconds.
const WAIT = 25;
// How often all that is shown is asked for where there is neither stream nor long poll, in milliseconds.
const POLL = 2000;
// When the stream is tried again after there was none, in milliseconds.
const STREAM_PAUSE = 60000;
// How often what depends on the time is asked for, in milliseconds. It also notices a server that hangs.
const TICK = 15000;
// The shortest and the longest time between two tries to reach a server that is gone, in milliseconds.
const [FIRST_TRY, LAST_TRY] = [250, 2000];

// `state` is connecting, live or lost; `how` says by what means; `since` when the state began.
export const connection = { state: "connecting", how: "", since: Date.now() };

const channel = new BroadcastChannel("flow-changes");
let hooks = {};
let shown;
let streamFrom = 0;
let trying;

// Begins. Calls `changed(paths)` with what changed, or nothing for all; `tick()` now and then; `moved()` at another state.
export function follow(given) {
  hooks = given;
  channel.onmessage = ({ data }) => {
    if (document.hidden) return;
    if (data.lost) lost();
    else {
      become("live", data.how);
      hooks.changed(data.paths);
    }
  };
  document.addEventListener("visibilitychange", show);
  show();
}

export function lost() {
  if (connection.state !== "lost") become("lost", "");
  if (shown) trying ??= reach(shown.signal).finally(() => (trying = undefined));
}

export function reached() {
  if (connection.state === "connecting") become("live", connection.how);
}

function become(state, how) {
  if (connection.state !== state) connection.since = Date.now();
  if (connection.state === state && connection.how === how) return;
  Object.assign(connection, { state, how });
  hooks.moved();
}

function show() {
  if (document.hidden) {
    shown?.abort();
    shown = undefined;
  } else if (!shown) {
    shown = new AbortController();
    hooks.changed();
    const { signal } = shown;
    const timer = setInterval(hooks.tick, TICK);
    signal.addEventListener("abort", () => clearInterval(timer));
    const work = () => lead(signal);
    (navigator.locks ? navigator.locks.request(LOCK, { signal }, work) : work()).catch(() => {});
  }
}

const sleep = (time, signal) => new Promise((done) => {
  const timer = setTimeout(done, time);
  signal.addEventListener("abort", () => done(clearTimeout(timer)), { once: true });
});

const ask = (path, signal, time) => fetch(path, { cache: "no-store", signal: AbortSignal.any([signal, AbortSignal.timeout(time)]) });

// Ends when the server answers again.
async function reach(signal) {
  for (let pause = FIRST_TRY; !signal.aborted; pause = Math.min(pause * 2, LAST_TRY)) {
    await sleep(pause, signal);
    try {
      await ask("/api/health", signal, LAST_TRY);
      become("live", "");
      hooks.changed();
      return;
    } catch {
      // Not yet.
    }
  }
}

function tell(how, paths) {
  become("live", how);
  hooks.changed(paths);
  channel.postMessage({ how, paths });
}

async function lead(signal) {
  while (!signal.aborted) {
    try {
      await (Date.now() >= streamFrom ? stream(signal) : poll(signal));
    } catch {
      if (signal.aborted) return;
      lost();
      channel.postMessage({ lost: true });
      await trying;
    }
  }
}

// Holds the stream. Ends when the server gives none, fails when the connection is lost.
function stream(signal) {
  return new Promise((done, fail) => {
    const source = new EventSource("/api/events");
    const end = (then) => (source.close(), then());
    signal.addEventListener("abort", () => end(done), { once: true });
    // Each connection begins with an event that says where it stands; what came before is fetched by its ETag.
    source.onopen = () => tell("stream");
    source.addEventListener("change", ({ data }) => tell("stream", JSON.parse(data).resources));
    source.addEventListener("resync", () => tell("stream"));
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return end(fail);
      streamFrom = Date.now() + STREAM_PAUSE;
      end(done);
    };
  });
}

// Asks by long poll, or where that is not to be had for everything, until the stream may be tried again.
async function poll(signal) {
  let since = "";
  while (!signal.aborted && Date.now() < streamFrom) {
    const answer = await ask(`/api/changes?since=${since}&wait=${since && WAIT}`, signal, (WAIT + 10) * 1000);
    if (answer.ok) {
      const { id, event, resources } = await answer.json();
      if (id !== since) tell("long poll", event === "change" ? resources : undefined);
      since = id;
    } else {
      tell("polling");
      await sleep(POLL, signal);
    }
  }
}
