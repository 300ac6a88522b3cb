//! The cost of loading and of following a log: `cargo bench --bench snapshot`.
//!
//! Options: `--messages 1000,1000000` or `--folder PROJECT`; `--callgrind FILE` when it runs under callgrind. The log
//! of the folder is appended to.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

mod support;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

use flow::store::Scope;
use support::generate::{LOG, Random, STATUS, line, status};
use support::meter::Meter;
use support::{Scratch, open_at, sizes};

fn main() {
    for size in sizes() {
        let scratch = Scratch::new(size);
        let begun = Instant::now();
        let (store, app) = open_at(&scratch.folder, Scope::Folders);
        let (total, took) = (app.reader.snapshot().bus.log.len(), begun.elapsed());
        let mut meter = Meter::new();
        if matches!(meter, Meter::Clock) {
            println!("load {total} {} ms", took.as_millis());
        }
        println!("# {total} messages, {} a change", meter.unit());
        let documents = [status(10_000), status(10_001)];
        let mut turn = 0;
        let rewrite = meter.measure(4, || {
            turn = 1 - turn;
            fs::write(scratch.folder.join(STATUS), &documents[turn]).unwrap();
            store.handle().sync().unwrap().blocking_recv().unwrap()
        });
        println!("rewrite {total} {rewrite}");
        let mut log = OpenOptions::new().append(true).open(scratch.folder.join(LOG)).unwrap();
        let (mut random, mut number) = (Random::new(3), total as u64);
        let append = meter.measure(512, || {
            log.write_all(line(number, &mut random).as_bytes()).unwrap();
            number += 1;
            while (app.reader.snapshot().bus.log.len() as u64) < number {
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        println!("append {total} {append}");
        store.stop();
    }
}
