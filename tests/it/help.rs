//! Help at every level, its width, the man pages, and completions in the real shells.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{FLOW, Project, Ran};
use crate::tools::has;

#[test]
fn each_skill_has_an_example_and_a_text_may_begin_with_help() {
    let project = Project::new();
    for name in flow::skill::runtime::catalog::names() {
        let help = project.flow(&["skill", name, "--help"]).expect(0).out;
        assert!(help.contains(&format!("\nExample: flow skill {name} ")), "{help}");
    }
    for words in [["version"], ["--version"]] {
        let version = format!("flow {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(project.flow(&words).expect(0).out, version);
    }
    let text = project.flow(&["skill", "adr-template", "help us decide on a queue"]).expect(0);
    assert!(text.out.to_lowercase().contains("help us decide"), "{text:?}");
}

#[test]
fn help_follows_the_width() {
    let project = Project::new();
    let shown = |words: &[&str], columns: &str| {
        let output = project.command().args(words).env("COLUMNS", columns).output().unwrap();
        Ran::from(output).expect(0).out
    };
    for words in [
        &["--help"][..],
        &["api", "--help"],
        &["skill", "--help"],
        &["watch", "--help"],
        &["schema", "--help"],
        &["skill", "sql-schema-generator", "--help"],
    ] {
        for columns in [60, 100] {
            let text = shown(words, &columns.to_string());
            let too_wide = |line: &&str| {
                let is_breakable = line.trim().trim_start_matches("- ").contains(' ');
                is_breakable && line.chars().count() > columns
            };
            assert_eq!(text.lines().find(too_wide), None, "{words:?} at {columns}:\n{text}");
        }
    }
    // Text after a name stays in its column, also if no width is known.
    let unknown = |words: &[&str]| {
        let output = project.command().args(words).env_remove("COLUMNS").output().unwrap();
        Ran::from(output).expect(0).out
    };
    for (help, row, description) in [
        (shown(&["api", "--help"], "60"), "/api/attention", "what needs"),
        (unknown(&["api", "--help"]), "/api/attention", "what needs"),
        (unknown(&["skill", "--help"]), "  adr-template", "Writes"),
    ] {
        let lines: Vec<&str> = help.lines().collect();
        let at = lines.iter().position(|line| line.contains(row)).unwrap();
        let column = lines[at].find(description).unwrap();
        assert!(lines[at + 1].starts_with(&" ".repeat(column)), "{help}");
    }
}

#[test]
fn there_is_a_man_page_for_each_command_and_nothing_internal_in_it() {
    let project = Project::new();
    let folder = project.root.join("man");
    let named = folder.to_str().unwrap();
    project.flow(&["man", named]).expect(0);
    let mut pages: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    let commands = "api completions demo diff doctor explain history history-import mcp schema skill statusline wait watch";
    let mut expected = vec!["flow.1".to_owned()];
    expected.extend(commands.split(' ').map(|command| format!("flow-{command}.1")));
    expected.sort();
    assert_eq!(pages, expected);
    for name in &pages {
        let page = fs::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(".TH") && page.contains(".SH"), "{name}");
        for internal in ["__", "render"] {
            assert!(!page.contains(internal), "{name} names {internal}");
        }
        if has("groff") {
            let mut groff = Command::new("groff");
            groff.args(["-Kutf8", "-man", "-Tutf8", "-ww"]).arg(folder.join(name));
            let judged = Ran::from(groff.output().unwrap());
            assert!(judged.err.is_empty(), "{name}: {judged:?}");
        }
    }
    // Overwriting its own output is permitted; overwriting another file is not.
    project.flow(&["man", named]).expect(0);
    fs::write(folder.join("flow.1"), "my own page").unwrap();
    let refused = project.flow(&["man", named]).expect(1);
    assert!(refused.err.contains("flow.1"), "{refused:?}");
    assert_eq!(fs::read_to_string(folder.join("flow.1")).unwrap(), "my own page");
}

/// A folder with the program by its name, first in the path of a shell.
fn shell(name: &str) -> Command {
    let mut command = Command::new(name);
    let folder = Path::new(*FLOW).parent().unwrap().display();
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{folder}:{path}")).env("HOME", "/nowhere");
    command
}

/// The completions of a shell for each line.
const LINES: [(&str, &[&str]); 8] = [
    ("flow stat", &["statusline"]),
    ("flow api sta", &["start", "status"]),
    ("flow api --fol", &["--follow"]),
    ("flow skill adr", &["adr-template"]),
    ("flow skill show sprint", &["sprint-planner"]),
    ("flow skill adr-template supers", &["supersedes="]),
    ("flow completions fis", &["fish"]),
    ("flow schema ta", &["tasks"]),
];

/// What fish offers for a line.
fn offered_by_fish(line: &str) -> String {
    let script = "flow completions fish | source; complete -C $argv[1]";
    let done = shell("fish").args(["--no-config", "-c", script, line]).output().unwrap();
    Ran::from(done).out
}

#[test]
fn fish_completes_actions_skills_and_fields_and_nothing_internal() {
    if !has("fish") {
        return;
    }
    for (line, expected) in LINES {
        let out = offered_by_fish(line);
        let name = |line: &str| line.split('\t').next().unwrap().trim_end().to_owned();
        let mut found: Vec<String> = out.lines().map(name).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{line}: {out}");
    }
    for line in ["flow ", "flow -", "flow api -", "flow skill adr-template -"] {
        let out = offered_by_fish(line);
        assert!(out.lines().count() > 2, "{line}: {out}");
        for internal in ["__", "render", "man\t"] {
            assert!(!out.contains(internal), "{line} offers {internal}: {out}");
        }
    }
}

/// zsh completes in a terminal only: one is made for it, and what stands in its line after a tab is read. The second word is
/// what loads the completions.
const IN_ZSH: &str = r#"
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1=; autoload -U compinit; $2"
    zpty -w shell "show() { print -r -- \"<\$BUFFER>\"; BUFFER=; zle accept-line }; zle -N show; bindkey '^X' show; unsetopt automenu; print re''ady"
    zpty -r -m shell ready "*re""ady*"
    zpty -n -w shell "$1"$'\t'$'\x18'
    zpty -r -m shell line "*<*>*"
    print -r -- "$line"
    zpty -d shell
"#;

/// Completes each line, in a separate shell; each has one candidate, which is then in the line.
fn complete_in_zsh(load: &str) {
    for (line, expected) in LINES.iter().filter(|(_, expected)| expected.len() == 1) {
        let words = ["20", "zsh", "-f", "-c", IN_ZSH, "zsh", line, load];
        let ran = Ran::from(shell("timeout").args(words).output().unwrap());
        let (before, _) = line.rsplit_once(' ').unwrap();
        let whole = format!("<{before} {}", expected[0]);
        assert!(ran.out.contains(&whole), "{line}: {ran:?}");
    }
}

#[test]
fn zsh_completes_at_the_first_tab_also_where_it_loads_the_script_itself() {
    if !has("zsh") {
        return;
    }
    complete_in_zsh("compinit -u -D; source <(flow completions zsh)");
    let folder = tempfile::tempdir().unwrap();
    let script = shell("flow").args(["completions", "zsh"]).output().unwrap();
    fs::write(folder.path().join("_flow"), Ran::from(script).expect(0).out).unwrap();
    complete_in_zsh(&format!("fpath+=({}); compinit -u -D", folder.path().display()));
}
