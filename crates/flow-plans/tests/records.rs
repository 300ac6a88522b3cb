//! What each format reads. `cases/FORMAT.in` has cases: a title, questions, files; `cases/FORMAT.out` is what is read.
//! `FLOW_UPDATE=1 cargo test -p flow-plans` writes the second. In the files, ␍ is a carriage return and ␃ a byte order mark.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that cannot go on fails the test that called it"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use flow_plans::{FORMATS, FileRecords, Format, Kind, OwnFile, Plan, join};
use serde_json::Value;

/// A path, or a path and the second in which it was changed: `a.md@9`.
fn own_file(word: &str) -> OwnFile<'_> {
    let (path, second) = word.split_once('@').unwrap_or((word, "0"));
    let second = Duration::from_secs(second.parse().unwrap());
    OwnFile { path, modified: Some(SystemTime::UNIX_EPOCH + second) }
}

fn answer(
    format: &dyn Format,
    question: &str,
    files: &[(&str, String)],
    synonyms: &[(Kind, String, String)],
) -> String {
    let (word, rest) = question.split_once(' ').unwrap_or((question, ""));
    let (of, there) = rest.split_once('|').unwrap_or((rest, ""));
    let of: Vec<&str> = of.split_whitespace().collect();
    match word {
        "owns" => format!("{:?}", of.iter().map(|path| format.owns(path)).collect::<Vec<_>>()),
        "enters" => format!("{:?}", of.iter().map(|path| format.enters(path)).collect::<Vec<_>>()),
        "is-present" => format.is_present(&of, &|path| there.trim() == path).to_string(),
        "former-story" => format!("{:?}", format.former_id(Kind::Story, of[0])),
        "former-task" => format!("{:?}", format.former_id(Kind::Task, of[0])),
        "selects" => {
            let own: Vec<OwnFile<'_>> = of.iter().map(|word| own_file(word)).collect();
            let text = |path: &str| files.iter().find(|file| file.0 == path).map(|f| f.1.clone());
            format!("{:?}", format.select(&own, &text))
        }
        "synonyms" => format!("{synonyms:?}"),
        _ => panic!("no question {question}"),
    }
}

/// The records of a plan, a line each, and what else it has.
fn records(plan: &Plan, files: &[(&str, String)], read: &[FileRecords]) -> String {
    let mut text = String::new();
    for (kind, records) in [("epic", &plan.epics), ("story", &plan.stories), ("task", &plan.tasks)]
    {
        for record in records {
            let (path, members) = (files[record.file].0, Value::from(record.members.clone()));
            let _ = writeln!(text, "{kind} {} {path}:{} {members}", record.id, record.line);
        }
    }
    for (file, issue) in &plan.issues {
        let is_fault = read[*file].fault.as_ref() == Some(issue);
        let what = if is_fault { "fault" } else { issue.effect.name() };
        let _ = writeln!(text, "{what} {}:{} {}", files[*file].0, issue.line, issue.reason);
    }
    if plan.foreign > 0 {
        let _ = writeln!(text, "foreign files: {}", plan.foreign);
    }
    if !plan.retired.is_empty() {
        let _ = writeln!(text, "retired: {:?}", plan.retired);
    }
    text
}

fn case(format: &dyn Format, text: &str) -> String {
    let (title, rest) = text.split_once('\n').unwrap();
    let (mut questions, mut files) = (Vec::new(), Vec::<(&str, String)>::new());
    for line in rest.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("@@@ ") {
            files.push((path.trim_end(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(&line.replace('␍', "\r").replace('␃', "\u{feff}"));
        } else {
            questions.push(line.trim_end());
        }
    }
    let read: Vec<_> = files.iter().map(|(path, text)| format.read(path, text)).collect();
    let plan = join(format, read.iter());
    let mut out = format!("=== {title}\n");
    for question in questions {
        let answer = answer(format, question, &files, &plan.synonyms);
        let _ = writeln!(out, "{question}: {answer}");
    }
    out + &records(&plan, &files, &read)
}

#[test]
fn the_cases_are_read_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for format in FORMATS {
        let file = folder.join(format!("{}.in", format.name()));
        let text = fs::read_to_string(&file).unwrap();
        let cases = text.strip_prefix("=== ").unwrap().split("\n=== ");
        let found = cases.map(|text| case(*format, text)).collect::<Vec<_>>().join("\n");
        let expected = file.with_extension("out");
        if std::env::var_os("FLOW_UPDATE").is_some_and(|update| update == "1") {
            fs::write(&expected, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&expected).unwrap(), "{}", format.name());
    }
}
