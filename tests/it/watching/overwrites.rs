//! A document that is overwritten in place, a piece at a time and without being truncated. Every mixture of
//! the old and the new text is a valid document.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flow::project::Source;
use flow::store::{Environment, Options, Scope};

use super::long_status;
use crate::live::{self, Live, comes_true};
use crate::support::wait_until;
use crate::tools::{figure, milliseconds, scaled};

/// Bytes of one write.
const PIECE: usize = 4096;
/// Longer than every wait of the store for a second reading.
const STILL: Duration = Duration::from_millis(400);
/// A writer that the system does not schedule for this long leaves two readings that agree. Shorter than the store's
/// wait by more than a clock tick.
const NOT_SCHEDULED: Duration = Duration::from_millis(240);

/// A writer of one document.
#[derive(Debug, Clone, Copy)]
struct Writer {
    /// Between two pieces.
    pause: Duration,
    /// After a whole text.
    rest: Duration,
    keeps_open: bool,
}

impl Writer {
    /// Overwrites the file with each text in turn until it is told to stop. Returns its longest pause within a text.
    fn run(self, path: &Path, texts: &[String], done: &AtomicBool) -> Duration {
        let mut longest = Duration::ZERO;
        let open = || File::options().write(true).open(path).unwrap();
        let mut kept = self.keeps_open.then(open);
        for text in texts.iter().cycle().take_while(|_| !done.load(Ordering::Relaxed)) {
            let mut opened = kept.is_none().then(open);
            let file = opened.as_mut().or(kept.as_mut()).unwrap();
            std::io::Seek::rewind(file).unwrap();
            let mut last = Instant::now();
            for piece in text.as_bytes().chunks(PIECE) {
                file.write_all(piece).unwrap();
                longest = longest.max(last.elapsed());
                last = Instant::now();
                thread::sleep(self.pause);
            }
            drop(opened);
            longest = longest.max(last.elapsed());
            thread::sleep(self.rest);
        }
        longest
    }
}

/// Which text each piece of a body is from: `a`, `b`, or `?` for neither.
fn origins(body: &[u8], texts: &[String; 2]) -> String {
    let is_from = |text: &String, at: usize, piece: &[u8]| {
        text.as_bytes().get(at * PIECE..).is_some_and(|rest| rest.starts_with(piece))
    };
    let pieces = body.chunks(PIECE).enumerate();
    let origin = pieces.map(|(at, piece)| match texts {
        [a, _] if is_from(a, at, piece) => 'a',
        [_, b] if is_from(b, at, piece) => 'b',
        _ => '?',
    });
    origin.collect()
}

/// Runs a writer concurrently with a reader, until the served content was replaced so many times, and thousands of answers
/// were compared with the two whole texts.
#[track_caller]
fn shows_no_mixture(live: &Live, writer: Writer, replacements: u64) {
    let path = live.file(Source::Status);
    let texts = ["a".repeat(100), "b".repeat(100)].map(|title| long_status(&title));
    live::replace(&path, &texts[0]);
    live.agrees();
    let done = AtomicBool::new(false);
    let (mixture, longest_pause) = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut seen, mut replaced) = (0, 0);
            let end = Instant::now() + Duration::from_mins(1);
            let mut last = live.get("/api/status").body;
            let mut mixture = None;
            let answers = scaled(1_500, 20_000);
            while mixture.is_none()
                && (seen < answers || replaced < replacements)
                && Instant::now() < end
            {
                let body = live.get("/api/status").body;
                if !texts.iter().any(|text| body == text) {
                    let health = live.text("/api/health");
                    mixture = Some(format!("answer {seen}: {} {health}", origins(&body, &texts)));
                }
                replaced += u64::from(body != last);
                last = body;
                seen += 1;
                if seen > answers {
                    thread::park_timeout(Duration::from_micros(200));
                }
            }
            done.store(true, Ordering::Relaxed);
            assert!(replaced >= replacements, "replaced {replaced} times in {seen} answers");
            mixture
        });
        let longest_pause = writer.run(&path, &texts, &done);
        (reader.join().unwrap(), longest_pause)
    });
    // Two readings that agree while the writer does not run are accepted, as documented.
    assert!(
        mixture.is_none() || longest_pause >= NOT_SCHEDULED,
        "{writer:?}, which paused for {longest_pause:?} at most, showed a mixture: {mixture:?}"
    );
    live.comes_to_agree();
    live.agrees();
}

#[test]
fn a_writer_that_overwrites_in_place_shows_no_mixture() {
    let ms = Duration::from_millis;
    let live = Live::new();
    shows_no_mixture(&live, Writer { pause: ms(0), rest: ms(0), keeps_open: false }, 0);
    let slow = Writer { pause: ms(1), rest: STILL, keeps_open: false };
    shows_no_mixture(&live, slow, 2);
    let keeps_open = Writer { pause: ms(1), rest: STILL, keeps_open: true };
    shows_no_mixture(&live, keeps_open, 2);
}

#[test]
fn a_writer_that_pauses_for_long_is_waited_for_until_it_closes() {
    let live = Live::new();
    let path = live.file(Source::Status);
    let texts = ["a".repeat(100), "b".repeat(100)].map(|title| long_status(&title));
    live.write(Source::Status, &texts[0]);
    live.agrees();
    let mut file = File::options().write(true).open(&path).unwrap();
    for piece in texts[1].as_bytes().chunks(PIECE) {
        file.write_all(piece).unwrap();
        // A writer that lost its processor for a moment.
        let is_mixed = || live.get("/api/status").body != texts[0];
        assert!(!comes_true(Duration::from_millis(40), is_mixed), "served before it was closed");
    }
    let closed = Instant::now();
    drop(file);
    wait_until("the new is served", || live.get("/api/status").body == texts[1]);
    figure("overwritten_served_after_close_ms", milliseconds(closed.elapsed()));
}

#[test]
fn a_sync_returns_what_was_overwritten() {
    for scope in [Scope::Folders, Scope::Nothing] {
        let options =
            Options { sweep: Some(Duration::from_millis(20)), scope, ..Options::default() };
        let live = Live::open(tempfile::tempdir().unwrap(), &options, Environment::default());
        let path = live.file(Source::Status);
        for n in 100..scaled(104, 130) {
            let text = long_status(&n.to_string());
            match fs::metadata(&path) {
                Ok(_) => {
                    let mut file = File::options().write(true).open(&path).unwrap();
                    text.as_bytes().chunks(PIECE).for_each(|piece| file.write_all(piece).unwrap());
                }
                Err(_) => live.write(Source::Status, &text),
            }
            live.agrees();
        }
    }
}
