//! The cases of `tests/cases`: `FOLDER/NAME.in` is a script of commands as a person types them, `NAME.out` is what they
//! print. `FLOW_UPDATE=1 cargo test --test it cases` writes the second. Its lines that begin with `!` were on stderr.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use flow::skill::runtime::catalog::EXAMPLES_NOW;
use serde_json::{Map, Value};

use crate::artifacts::judge;
use crate::shell::{bash, folder};
use crate::support::is_portable;
use crate::tools::{has, is_root};
use crate::transcript::write_demo;

/// What precedes a script: `flow skill` runs at the moment of the examples, and the messages and the exit code of each command
/// follow what it prints, also in a pipe. `get` asks the API about files that were written at that moment, `commit` makes
/// everything a commit.
const PRELUDE: &str = include_str!("cases.bash");

/// What the portable program says beside what is expected.
const NO_RESTRICTION: &str = "note: this kernel does not restrict which files flow can open";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// The files of a folder of cases, sorted.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Whether the programs that the second line of a script may name are here, and the rights of root where it names them.
fn has_what_it_needs(script: &Path) -> bool {
    let text = fs::read_to_string(script).unwrap();
    let needs = text.lines().nth(1).and_then(|line| line.strip_prefix("# needs: "));
    let is_met = |what: &str| if what == "root" { is_root() } else { has(what) };
    needs.is_none_or(|needs| needs.split(' ').all(is_met))
}

/// What a script prints, in an empty folder, or in a copy of the demo project where its second line says so.
fn run(script: &Path) -> String {
    let text = fs::read_to_string(script).unwrap();
    assert!(text.starts_with("# "), "{}: the first line says what is shown", script.display());
    let (_keep, base) = folder();
    let work = base.join("work");
    fs::create_dir(&work).unwrap();
    if text.lines().nth(1) == Some("# project: demo") {
        write_demo(&work);
    }
    let mut command = bash(&work, &base);
    command.args(["-c", PRELUDE]).arg(script).env("NOW", EXAMPLES_NOW);
    let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    printed.replace(base.to_str().unwrap(), "/home/you").lines().map(readable).collect()
}

/// A line that is printed. A long one that is one JSON object has a line for each member and each item of a list, so that a
/// difference can be read.
fn readable(line: &str) -> String {
    const LONG: usize = 120;
    let object = (line.len() > LONG).then(|| serde_json::from_str::<Map<String, Value>>(line));
    let Some(Ok(object)) = object else { return format!("{line}\n") };
    let mut text = "{\n".to_owned();
    for (name, value) in object {
        match value {
            Value::Array(items) if !items.is_empty() => {
                let items: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
                let _ = writeln!(text, "  {name:?}: [\n{}\n  ]", items.join("\n"));
            }
            value => _ = writeln!(text, "  {name:?}: {value}"),
        }
    }
    text + "}\n"
}

/// The lines between the first and the last difference.
fn difference(before: &str, after: &str) -> String {
    let (mut before, mut after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    before.drain(..same);
    after.drain(..same);
    while before.last().is_some() && before.last() == after.last() {
        before.pop();
        after.pop();
    }
    let mut text = format!("@@ line {} @@\n", same + 1);
    for line in before {
        let _ = writeln!(text, "-{line}");
    }
    for line in after {
        let _ = writeln!(text, "+{line}");
    }
    text
}

fn run_folder(folder: &str) {
    let is_update = std::env::var_os("FLOW_UPDATE").is_some_and(|update| update == "1");
    let mut faults = String::new();
    for file in files(folder) {
        let name = format!("{folder}/{}", file.file_name().unwrap().display());
        match file.extension().and_then(OsStr::to_str) {
            Some("in") => {}
            Some("out") if file.with_extension("in").exists() => continue,
            _ => {
                let _ = writeln!(faults, "{name}: there is no script for it");
                continue;
            }
        }
        if !has_what_it_needs(&file) {
            continue;
        }
        let (mut printed, expected) = (run(&file), file.with_extension("out"));
        if is_portable() {
            let is_known = |line: &&str| !line.contains(NO_RESTRICTION);
            printed = printed.split_inclusive('\n').filter(is_known).collect();
        }
        if is_update {
            fs::write(&expected, &printed).unwrap();
        }
        match fs::read_to_string(&expected) {
            Err(_) => _ = writeln!(faults, "{name}: has no .out"),
            Ok(text) if text == printed => {}
            Ok(text) => _ = writeln!(faults, "{name}\n{}", difference(&text, &printed)),
        }
    }
    assert!(faults.is_empty(), "{faults}FLOW_UPDATE=1 writes the .out files");
}

/// One test for each folder.
macro_rules! folders {
    ($($test:ident)*) => {
        const FOLDERS: &[&str] = &[$(stringify!($test)),*];
        $(#[test]
        fn $test() {
            run_folder(&stringify!($test).replace('_', "-"));
        })*
    };
}

folders! {
    acceptance_criteria_generator
    adr_template
    api
    api_documentation_generator
    broken_state
    catalog
    caveats
    chain
    changelog_entry
    changes
    commit_message_formatter
    custom
    demo
    deployment_guide_generator
    diff
    diagram_generator
    doctor
    error_handler_template
    explain
    formats
    from_story
    history
    hostile_checkout
    http
    lifecycle
    mcp
    messages
    migration_checklist
    natural
    other_projects
    out
    packages
    pr_description
    projects
    queries
    reports
    revision
    runtime
    schema
    sql_schema_generator
    status_report
    story_skeleton
    tech_debt_register
    test_case_generator
    transport
    type_definitions
    validation_schema_generator
    wait
    watch
    worktrees
}

#[test]
fn each_folder_has_a_test() {
    let folders: BTreeSet<String> =
        files("").iter().map(|path| path.file_name().unwrap().display().to_string()).collect();
    let tested: BTreeSet<String> = FOLDERS.iter().map(|test| test.replace('_', "-")).collect();
    assert_eq!(folders, tested);
}

/// What each command of the cases printed on stdout, if it succeeded.
fn artifacts() -> Vec<String> {
    let mut artifacts = Vec::new();
    for file in FOLDERS.iter().flat_map(|test| files(&test.replace('_', "-"))) {
        if file.extension() != Some(OsStr::new("out")) {
            continue;
        }
        let mut artifact = String::new();
        for line in fs::read_to_string(file).unwrap().lines() {
            if line == "[exit 0]" {
                artifacts.push(std::mem::take(&mut artifact));
            } else if line.starts_with("[exit ") {
                artifact.clear();
            } else if !line.starts_with("! ") {
                artifact += &[line, "\n"].concat();
            }
        }
    }
    artifacts
}

#[test]
fn markdown_of_the_cases_is_clean() {
    // Comments of Python begin like titles.
    let is_document = |text: &String| {
        text.starts_with("# ") && text.lines().nth(1) == Some("") && !text.contains("\nimport ")
    };
    let documents: Vec<String> = artifacts().into_iter().filter(is_document).collect();
    assert!(!documents.is_empty());
    judge::markdown(&documents);
}

/// The TypeScript of the cases.
pub(crate) fn modules() -> Vec<(String, String)> {
    let is_module = |text: &String| text.starts_with("export ") || text.starts_with("import ");
    let modules =
        artifacts().into_iter().filter(|text| is_module(text) && !text.contains("\nfrom "));
    modules.enumerate().map(|(at, text)| (format!("m{at}"), text)).collect()
}
