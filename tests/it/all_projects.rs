//! `flow watch --all` and `flow statusline --all`: the projects of a user on one screen, whatever their servers do.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::support::{Project, Ran, halt, send, wait_until};

const STATUS: &str = "docs/09-agents/status.json";
const TASKS: &str = ".flow/state/task-dependencies.json";

#[test]
fn projects_of_one_name_are_told_apart_by_the_folder_above() {
    let projects = projects(&["app", "app"]);
    for project in &projects {
        project.start();
    }
    let screen = screen(&projects[0], 100);
    for project in &projects {
        let above = project.root.parent().unwrap().file_name().unwrap().to_str().unwrap();
        assert!(screen.contains(&format!("\n {above}/app")), "{screen}");
    }
}

/// Projects of one user: they have the runtime folder of the first.
fn projects(names: &[&str]) -> Vec<Project> {
    let mut projects: Vec<Project> = names.iter().map(Project::named).collect();
    let runtime = projects[0].runtime.clone();
    for project in &mut projects {
        project.runtime.clone_from(&runtime);
    }
    projects
}

fn failed(project: &Project) {
    project.write(
        TASKS,
        r#"{"tasks":{"t1":{"description":"Import the maps","state":"failed","subagent_type":"maps"}}}"#,
    );
}

#[track_caller]
fn screen(project: &Project, columns: u32) -> String {
    let mut command = project.command();
    command.args(["watch", "--all", "--once"]).env("COLUMNS", columns.to_string());
    let ran = Ran::from(command.output().unwrap()).expect(0);
    assert!(ran.err.is_empty(), "{ran:?}");
    let widest = ran.out.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= columns as usize, "{widest} of {columns}:\n{}", ran.out);
    ran.out
}

/// The line, repeated while a server had no time to answer.
fn line(project: &Project, part: &str) -> String {
    let mut text = String::new();
    wait_until("the line has the answers", || {
        text = project.flow(&["statusline", "--all"]).expect(0).out;
        text.contains(part)
    });
    text
}

#[test]
fn what_needs_you_in_any_project_comes_first() {
    let projects = projects(&["atlas", "bookshop", "zoo"]);
    let [atlas, bookshop, zoo] = &projects[..] else { panic!("three") };
    assert_eq!(line(atlas, "no"), "no project is served\n");
    let none = screen(atlas, 80);
    assert!(none.contains("0 served") && none.contains("flow api start"), "{none}");
    failed(zoo);
    bookshop.write(
        STATUS,
        r#"{"stories":{"US-1":{"status":"blocked","title":"Pay","owner":"api"},"US-2":{"status":"done"}}}"#,
    );
    atlas.write(
        TASKS,
        r#"{"tasks":{"t2":{"state":"running","description":"Draw","subagent_type":"ui"}}}"#,
    );
    let pages: Vec<String> =
        projects.iter().map(|project| format!("127.0.0.1:{}", project.start().port)).collect();
    for columns in [40, 80, 160] {
        let screen = screen(atlas, columns);
        let at = |part: &str| {
            screen.find(part).unwrap_or_else(|| panic!("{part} at {columns}:\n{screen}"))
        };
        assert!(at("3 served") < at("Needs you  2"), "{screen}");
        assert!(at("zoo      x failed") < at("bookshop # blocked"), "{screen}");
        assert!(at("bookshop # blocked") < at("Agents  3"), "{screen}");
        // Most urgent first: two with an item each, then who works.
        let listed = &screen[at("Projects  3")..];
        let name = |name: &str| listed.find(name).unwrap();
        assert!(name("bookshop") < name("atlas") && name("zoo") < name("atlas"), "{screen}");
        if columns >= 80 {
            assert!(pages.iter().all(|page| listed.contains(page)), "{screen}");
        }
        if columns >= 160 {
            assert!(listed.contains("1 of 2 stories done"), "{screen}");
        }
    }
    let line = line(atlas, "3 projects");
    assert_eq!(line, "3 projects: 1 running · 2 need you (1 blocked)\n");
    let facts = atlas.flow(&["statusline", "--all", "--json"]).expect(0).json();
    assert_eq!(facts["projects"].as_array().unwrap().len(), 3, "{facts}");
    assert_eq!(facts["counts"]["need_you"], 2);
}

#[test]
fn a_project_that_is_gone_or_hangs_is_shown_as_such() {
    let projects = projects(&["alive", "crashed", "halted"]);
    let [alive, crashed, halted] = &projects[..] else { panic!("three") };
    failed(crashed);
    failed(halted);
    alive.start();
    let victim = crashed.start();
    let sleeper = halted.start();
    send(victim.pid, Signal::SIGKILL);
    wait_until("it has ended", || !crate::support::is_alive(victim.pid));
    halt(sleeper.pid);
    let begun = Instant::now();
    let line = line(alive, "1 not responding · 1 gone");
    let screen = screen(alive, 80);
    let took = begun.elapsed();
    send(sleeper.pid, Signal::SIGCONT);
    assert!(line.starts_with("1 project: 0 running"), "{line}");
    for part in ["1 served", "0 in what could be read", "gone: its server", "not responding"] {
        assert!(screen.contains(part), "{part}:\n{screen}");
    }
    assert!(took < Duration::from_secs(15), "{took:?}");
}

#[test]
fn a_screen_that_is_watched_follows_every_project() {
    let projects = projects(&["one", "two"]);
    let [one, two] = &projects[..] else { panic!("two") };
    one.start();
    let mut command = one.command();
    let mut child = command.args(["watch", "--all"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = |part: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(part));
        assert!(found.is_some(), "{part}");
    };
    next("1 served");
    two.start();
    next("2 served");
    failed(two);
    next("Import the maps");
    two.flow(&["api", "stop"]).expect(0);
    next("gone: its server");
    two.start();
    next("2 served");
    drop(lines);
    failed(one);
    wait_until("it ends with its reader", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn words_that_do_not_fit_are_refused_and_hostile_names_are_escaped() {
    let projects = projects(&["a\u{1b}[2Jb"]);
    let project = &projects[0];
    failed(project);
    project.start();
    let text = screen(project, 100);
    assert!(!text.contains('\u{1b}') && text.contains("\\u{1b}"), "{text}");
    for words in [["watch", "--all"], ["statusline", "--all"]] {
        let ran = project.flow(&[&words[..], &["--project", "."]].concat()).expect(2);
        assert!(ran.err.contains("--all cannot be used with --project"), "{ran:?}");
    }
    let ran = project.flow(&["watch", "--all", "--json"]).expect(2);
    assert!(ran.err.is_empty() && ran.out.contains("watch prints text"), "{ran:?}");
    // A runtime folder that cannot be read has no projects.
    let mut command = project.command();
    let file = project.root.join("file");
    fs::write(&file, "").unwrap();
    command.args(["statusline", "--all"]).env("FLOW_RUNTIME_DIR", &file);
    assert_eq!(Ran::from(command.output().unwrap()).expect(0).out, "no project is served\n");
}
