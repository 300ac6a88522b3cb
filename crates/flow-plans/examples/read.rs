//! Prints the plans in a folder, one record a line: format, kind, id, status or state, dependencies, file and line.
//!
//! `cargo run -p flow-plans --example read -- FOLDER [FORMAT]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for the terminal")]

use std::fs;
use std::path::Path;

use flow_plans::{FORMATS, Format, OwnFile, PlannedRecord, join};
use serde_json::json;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: read FOLDER [FORMAT]");
        return;
    };
    let only = arguments.next();
    for format in FORMATS {
        let is_named = only.as_deref() == Some(format.name());
        if is_named || only.is_none() {
            print(Path::new(&folder), *format, is_named);
        }
    }
}

/// Prints the records of a format that is named or present.
fn print(root: &Path, format: &dyn Format, is_named: bool) {
    let mut paths = Vec::new();
    for place in format.places() {
        find(root, place, format, &mut paths);
    }
    paths.sort();
    paths.dedup();
    let files: Vec<_> =
        paths.iter().map(|path| OwnFile { path, modified: modified(&root.join(path)) }).collect();
    let names: Vec<_> = paths.iter().map(String::as_str).collect();
    if !is_named && !format.is_present(&names, &|path| root.join(path).exists()) {
        return;
    }
    let names = format.select(&files, &|path| fs::read_to_string(root.join(path)).ok()).read;
    let text = |path: &&str| {
        String::from_utf8_lossy(&fs::read(root.join(path)).unwrap_or_default()).into_owned()
    };
    let read: Vec<_> = names.iter().map(|path| format.read(path, &text(path))).collect();
    let plan = join(format, read.iter());
    for (kind, records) in [("epic", &plan.epics), ("story", &plan.stories), ("task", &plan.tasks)]
    {
        for record in records {
            println!("{}", line(format.name(), kind, record, names[record.file]));
        }
    }
    for (file, issue) in &plan.issues {
        eprintln!("{}:{}: {}: {}", names[*file], issue.line, issue.effect.name(), issue.reason);
    }
}

fn line(format: &str, kind: &str, record: &PlannedRecord, file: &str) -> serde_json::Value {
    let status = record.members.get("status").or_else(|| record.members.get("state"));
    let counts = (record.members.get("tasks_total"), record.members.get("tasks_completed"));
    json!({
        "format": format, "kind": kind, "id": record.id, "status": status, "depends_on": record.members.get("depends_on"),
        "title": record.members.get("title"), "parent": record.members.get("parent"), "total": counts.0, "completed": counts.1, "file": file, "line": record.line,
    })
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Adds the files at or below a place, links excluded.
fn find(root: &Path, place: &str, format: &dyn Format, paths: &mut Vec<String>) {
    let mut places = vec![place.to_owned()];
    while let Some(place) = places.pop() {
        let Ok(kind) = fs::symlink_metadata(root.join(&place)) else { continue };
        if kind.is_file() && format.owns(&place) {
            paths.push(place);
        } else if kind.is_dir() {
            let names = fs::read_dir(root.join(&place)).into_iter().flatten().flatten();
            let inner =
                names.map(|entry| format!("{place}/{}", entry.file_name().to_string_lossy()));
            places.extend(inner.filter(|path| !root.join(path).is_dir() || format.enters(path)));
        }
    }
}
