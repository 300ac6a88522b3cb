//! Commands as a user types them, run, with what they print, for the pages of `docs/` that are made by tests.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use flow::model::time::{self, Edge};
use flow::skill::runtime::catalog;

use crate::support::{Project, Ran};

/// Longest transcript, in lines; the rest is left out, and that is said.
const SHOWN: usize = 60;

/// A project with the demo project's files, as old as in the examples.
pub(crate) fn demo() -> Project {
    let project = Project::named("bookshop");
    write_demo(&project.root);
    project
}

/// Writes the demo project's files into a folder, as old as in the examples.
pub(crate) fn write_demo(root: &Path) {
    let written = time::parse(catalog::DEMO_WRITTEN, Edge::Start).unwrap();
    let written = UNIX_EPOCH + Duration::from_nanos(written.unsigned_abs());
    for (path, text) in catalog::DEMO {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        File::options().append(true).open(&path).unwrap().set_modified(written).unwrap();
    }
}

/// A page with what its commands print now, one after the other; `after` gets each new block.
pub(crate) fn renewed(project: &Project, page: &str, mut after: impl FnMut(&str)) -> String {
    let mut parts = page.split("\n````console\n$ ");
    let mut renewed = parts.next().unwrap().to_owned();
    for part in parts {
        let (command, _) = part.split_once('\n').unwrap();
        let (_, rest) = part.split_once("\n````\n").unwrap();
        let shown = show(project, command);
        after(&shown);
        renewed += &(shown + rest);
    }
    renewed
}

/// A command that succeeds, and what it prints, as a block of Markdown.
fn show(project: &Project, command: &str) -> String {
    let ran = run(project, command);
    assert_eq!(ran.code, 0, "{command}: {ran:?}");
    block(command, &ran)
}

/// Runs a command at the moment of the examples.
fn run(project: &Project, command: &str) -> Ran {
    let words = words(command);
    let mut all: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    if all.first() == Some(&"skill") && all.get(1) != Some(&"install") {
        all.extend(["--now", catalog::EXAMPLES_NOW]);
    }
    project.flow(&all)
}

/// A command and what it printed, as a block of Markdown.
fn block(command: &str, ran: &Ran) -> String {
    let lines: Vec<&str> = ran.err.lines().chain(ran.out.lines()).collect();
    let shown = lines.iter().take(SHOWN).fold(String::new(), |text, line| text + line + "\n");
    let rest = lines.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!("… {rest} more lines\n") } else { String::new() };
    // Four backticks, since artifacts contain fences.
    format!("\n````console\n$ {command}\n{shown}{more}````\n")
}

/// The words of a command; double quotes hold one together, in which `\n` is a line break.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in command.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.iter().map(|word| word.replace("\\n", "\n")).collect()
}
