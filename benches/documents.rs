//! The cost of one changed story of a large status.json, compared with reading the file as a generic JSON value: `cargo
//! bench --bench documents`. The file has 200,000 stories and about 10 MB. The part that serves only `/api/activity` is
//! measured by itself: a hash of each record, and the comparison with the previous state.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flow::project::Project;
use flow::store::plan_changes::{self, LeftOut};
use flow::store::{Options, Snapshot, Store};
use nix::time::{ClockId, clock_gettime};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Stories of the file.
const STORIES: usize = 200_000;
/// Number of measured changes.
const CHANGES: usize = 20;

/// The text of the file, with this status of one story.
fn text(status: usize) -> String {
    let story = |n: usize| {
        let status = if n == STORIES / 2 { status } else { 0 };
        format!("\"US-{n}\":{{\"status\":\"s{status}\",\"epic_id\":\"EP-1\"}}")
    };
    let stories: Vec<String> = (0..STORIES).map(story).collect();
    format!("{{\"stories\":{{{}}}}}", stories.join(","))
}

/// CPU time of this process.
fn processor() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap().into()
}

/// Processor time that a new state costs more because its changes are noted: hashing its records, and comparing them.
fn noting_costs(text: &str, before: &Snapshot, after: &Snapshot) -> [Duration; 2] {
    let thread = || Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap());
    let hashing = thread();
    for story in text.split("},") {
        let (id, raw) = story.split_once(':').unwrap();
        black_box(xxh3_64_with_seed(raw.as_bytes(), xxh3_64(id.as_bytes())));
    }
    let begun = thread();
    let found = plan_changes::compare(before, after, &LeftOut::default());
    let ended = thread();
    assert_eq!(found.changes.len(), 1, "one story changed");
    [begun.saturating_sub(hashing), ended.saturating_sub(begun)]
}

fn main() {
    let folder = std::env::temp_dir().join(format!("flow-bench-{}", std::process::id()));
    let path = folder.join("docs/09-agents/status.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text(0)).unwrap();
    let bytes = fs::read(&path).unwrap();
    let begun = processor();
    for _ in 0..CHANGES {
        black_box(serde_json::from_slice::<serde_json::Value>(&bytes).unwrap());
    }
    let generic = processor().saturating_sub(begun) / u32::try_from(CHANGES).unwrap();
    let project = Project::at(&folder).unwrap();
    let store = Store::open(&project, &Options::default()).unwrap();
    let (reader, mut seen, mut cost) = (store.reader(), Duration::ZERO, Duration::ZERO);
    let mut noting = Vec::new();
    for change in 1..=CHANGES {
        let new = folder.join("new");
        fs::write(&new, text(change)).unwrap();
        // After the second reading of the file, which follows each write.
        std::thread::sleep(Duration::from_millis(300));
        let last: Arc<Snapshot> = reader.snapshot();
        let (begun, generation) = (Instant::now(), reader.snapshot().generation);
        let before = processor();
        fs::rename(&new, &path).unwrap();
        while reader.snapshot().generation == generation {
            std::thread::sleep(Duration::from_millis(1));
        }
        seen = seen.max(begun.elapsed());
        std::thread::sleep(Duration::from_millis(200));
        cost += processor().saturating_sub(before);
        noting.push(noting_costs(&text(change), &last, &reader.snapshot()));
    }
    noting.sort();
    let each = cost / u32::try_from(CHANGES).unwrap();
    println!("{} bytes, {STORIES} stories", bytes.len());
    println!("seen within {} ms at most", seen.as_millis());
    println!("processor time of a change: {} ms", each.as_millis());
    let [hashing, comparing] = noting[CHANGES / 2].map(|time| time.as_micros());
    println!("of it, hashing the records: {hashing} us, comparing them: {comparing} us");
    println!("of serde_json::from_slice::<Value>: {} ms", generic.as_millis());
    println!("figure: large_document_seen_ms = {}", seen.as_millis());
    println!(
        "figure: large_document_cpu_times_of_generic = {:.2}",
        each.as_secs_f64() / generic.as_secs_f64()
    );
    store.stop();
    fs::remove_dir_all(folder).unwrap();
}
