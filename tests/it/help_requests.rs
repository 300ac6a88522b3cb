//! `--help` after any words of any command prints that command's help, and does nothing else. The commands are those of the
//! definition of the command line, so a new one is tested too. `tests/cases/api/help.in` shows other forms.

use std::fs;
use std::path::PathBuf;

use crate::support::{Project, Ran};
use crate::tools::scaled;

/// The words of every command and subcommand, of every value of a first argument such as `start`, and of every skill.
fn commands() -> Vec<Vec<String>> {
    let mut all = Vec::new();
    collect(&flow::cli::definition(), &[], &mut all);
    all
}

fn collect(command: &clap::Command, words: &[String], all: &mut Vec<Vec<String>>) {
    let below = |name: &str| [words, &[name.to_owned()]].concat();
    all.push(words.to_vec());
    for subcommand in command.get_subcommands() {
        collect(subcommand, &below(subcommand.get_name()), all);
    }
    // The arguments of a skill are the keys of its fields, and those of a verb the names of the skills.
    if words.len() == 1
        && let Some(first) = command.get_positionals().next()
    {
        all.extend(first.get_possible_values().iter().map(|value| below(value.get_name())));
    }
}

/// Everything in the folder that the project, its runtime folder and the user's folders are in.
fn listing(project: &Project) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut folders = vec![project.root.parent().unwrap().to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            found.push((path.clone(), path.is_file().then(|| fs::read(&path).unwrap())));
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What a command line prints, which must be help and nothing else.
#[track_caller]
fn help(project: &Project, words: &[String]) -> String {
    // A pipe that stays open and empty: whoever reads it waits until `timeout` ends that.
    let (input, _held) = std::io::pipe().unwrap();
    let mut command = project.under(&["timeout", "20"]);
    command.args(words).env("HOME", project.root.with_file_name("home")).stdin(input);
    let ran = Ran::from(command.output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words:?}: {ran:?}");
    assert!(ran.out.contains("Usage: flow"), "{words:?}: {ran:?}");
    ran.out
}

fn with(words: &[String], more: &[&str]) -> Vec<String> {
    words.iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).collect()
}

#[test]
fn help_after_any_words_is_help_and_nothing_else() {
    let project = Project::new();
    project.write("docs/09-agents/status.json", r#"{"stories": {"US-1": {"title": "x"}}}"#);
    let before = listing(&project);
    let all = commands();
    assert!(all.len() > 50, "{all:?}");
    for (at, words) in all.iter().enumerate() {
        let expected = help(&project, &with(words, &["--help"]));
        let others = [
            &["--no-such-option", "--help"][..],
            &["--project", "/nowhere", "--HELP"],
            &["--out", "--help"],
            &["word", "key=value", "--help"],
            &["--help", "word", "--", "text"],
        ];
        // After these two a word is a command or a skill.
        let takes_any_word =
            !matches!(words.iter().map(String::as_str).collect::<Vec<_>>()[..], [] | ["skill"]);
        // One of the forms for each command, in turn, unless `FLOW_LONG` is set.
        let forms = others.iter().filter(|more| takes_any_word || !more.contains(&"word"));
        for more in forms.cycle().skip(at).take(scaled(1, others.len())) {
            let words = with(words, more);
            assert_eq!(help(&project, &words), expected, "{words:?}");
        }
        help(&project, &with(words, &["-h"]));
        let by_word = [&["help".to_owned()], words.as_slice()].concat();
        assert_eq!(help(&project, &by_word), expected, "{by_word:?}");
    }
    assert_eq!(listing(&project), before);
}
