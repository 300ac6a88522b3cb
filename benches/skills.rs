//! The cost of a skill's output within a running program: each generator on its example, by the clock or by callgrind:
//! `cargo bench --bench skills`. `benches/skills` measures complete runs of the program.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

mod support;

use std::path::PathBuf;

use flow::files::Files;
use flow::skill::generator::find;
use flow::skill::input::definition::Request;
use flow::skill::project_state::Context;
use flow::skill::runtime::catalog;
use support::meter::Meter;

fn main() {
    let context = Context {
        now: catalog::EXAMPLES_NOW.into(),
        state: Files::demo().state(),
        folder: PathBuf::from("."),
        root: PathBuf::from("."),
        out: None,
    };
    let mut meter = Meter::new();
    println!("# {} a call", meter.unit());
    for skill in catalog::names() {
        let example = catalog::file(skill, "assets/example.json").unwrap();
        let fields = serde_json::from_str(example).unwrap();
        let row = find(skill).unwrap();
        let given = row.place(&Request { fields, ..Request::default() }).unwrap();
        let cost = meter.measure(20, || row.run(&given, &context).unwrap());
        println!("skill {skill} {cost}");
    }
}
