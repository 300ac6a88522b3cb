//! `flow statusline` and `flow watch`: what they show of a moment, how wide, and that they never hang.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::artifacts::golden::hold;
use crate::support::{Project, Ran, halt, send, wait_until};
use crate::tools::{figure, milliseconds};
use crate::transcript::demo;

/// The line of one call.
fn one_line(project: &Project) -> String {
    let ran = project.flow(&["statusline"]).expect(0);
    assert!(ran.err.is_empty(), "{ran:?}");
    ran.out
}

/// The line, repeated while it is `not responding`: on a busy machine 100 ms may pass before the answer.
fn line(project: &Project) -> String {
    let mut text = String::new();
    wait_until("the line has the answer", || {
        text = one_line(project);
        text != "not responding\n"
    });
    text
}

#[test]
fn the_line_says_the_same_with_and_without_a_server() {
    let project = demo();
    let files = line(&project);
    let counts = files.strip_suffix(" · not served\n").unwrap_or_else(|| panic!("{files}"));
    assert!(counts.contains(" running") && counts.contains(" need you"), "{counts}");
    project.start();
    assert_eq!(line(&project), format!("{counts}\n"));
    wait_until("the line as JSON has the answer", || {
        let facts = project.flow(&["statusline", "--json"]).expect(0).json();
        facts["from"] == "server" && facts["text"] == counts
    });
}

#[test]
fn the_line_has_a_word_where_there_is_nothing_to_count() {
    let project = Project::new();
    assert_eq!(line(&project), "no project\n");
    project
        .write("docs/09-agents/status.json", &format!("{{\"a\":\"{}\"}}", "x".repeat(600 * 1024)));
    assert_eq!(line(&project), "not served\n");
    project.write(".flow/config.json", "[]");
    assert_eq!(line(&project), "broken: run flow doctor\n");
    let ran = project.flow(&["statusline", "--project", "/nowhere/at/all"]).expect(0);
    assert_eq!(ran.out, "no project\n");
}

/// A file that was written just now may not be whole yet; one that is older is broken, as a server would say.
#[test]
fn the_line_counts_a_broken_file_of_which_nobody_writes_any_more() {
    let project = demo();
    let whole = line(&project);
    let status = project.root.join("docs/09-agents/status.json");
    project.write("docs/09-agents/status.json", "{\"stories\":");
    let written = std::time::SystemTime::now() - Duration::from_mins(1);
    fs::File::options().append(true).open(&status).unwrap().set_modified(written).unwrap();
    let broken = line(&project);
    assert_ne!(broken, whole);
    project.start();
    wait_until("the server says the same", || {
        broken == line(&project).replace('\n', " · not served\n")
    });
}

#[test]
fn the_line_does_not_wait_for_a_server_that_is_halted() {
    let project = demo();
    let server = project.start();
    halt(server.pid);
    let begun = Instant::now();
    let said = one_line(&project);
    let took = begun.elapsed();
    send(server.pid, Signal::SIGCONT);
    assert_eq!(said, "not responding\n");
    assert!(took < Duration::from_secs(1), "{took:?}");
}

/// The quickest of several runs is what the command itself takes, without what else the machine does.
#[test]
fn the_line_is_printed_quickly() {
    let project = demo();
    let quickest = || {
        let times = (0..20).map(|_| {
            let begun = Instant::now();
            one_line(&project);
            begun.elapsed()
        });
        times.min().unwrap()
    };
    let files = quickest();
    project.start();
    let served = quickest();
    figure("status line of the files, ms", milliseconds(files));
    figure("status line of a server, ms", milliseconds(served));
    // Aimed at are 10 ms; on a busy machine it may be several times that, but not what a hanging one takes.
    assert!(files.max(served) < Duration::from_millis(80), "{files:?} {served:?}");
}

fn screen(project: &Project, columns: u32) -> String {
    screen_at(project, columns, "2026-03-11T09:30:00Z")
}

fn screen_at(project: &Project, columns: u32, now: &str) -> String {
    let mut command = project.command();
    command.args(["watch", "--once", "--now", now]);
    let ran = Ran::from(command.env("COLUMNS", columns.to_string()).output().unwrap()).expect(0);
    assert!(ran.err.is_empty(), "{ran:?}");
    ran.out
}

#[test]
fn the_screen_is_laid_out_for_its_width() {
    let project = demo();
    for columns in [60, 80, 200] {
        let screen = screen(&project, columns);
        let widest = screen.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns as usize, "{widest} of {columns}:\n{screen}");
        hold(&format!("tests/it/screens/watch_{columns}.txt"), &screen);
    }
}

/// Until 17:00 of the last day of the demo, whose messages the log has.
#[test]
fn a_wide_screen_has_the_messages_of_the_last_hours() {
    let screen = screen_at(&demo(), 170, "2026-03-10T17:00:00Z");
    hold("tests/it/screens/watch_hours.txt", &screen);
    let log = fs::read_to_string(demo().root.join("docs/09-agents/bus/log.jsonl")).unwrap();
    let is_shown = |line: &&str| {
        line.split("\"timestamp\"").nth(1).is_some_and(|rest| {
            rest.split('"')
                .nth(1)
                .is_some_and(|time| ("2026-03-10T10".."2026-03-10T18").contains(&time))
        })
    };
    let count = log.lines().filter(is_shown).count();
    assert!(screen.contains(&format!("Messages  {count}  in each of")), "{count}\n{screen}");
}

#[test]
fn the_screen_of_a_project_without_files_and_of_a_broken_file() {
    let project = Project::named("bookshop");
    hold("tests/it/screens/watch_empty.txt", &screen(&project, 80));
    let status = "docs/09-agents/status.json";
    let whole = fs::read_to_string(demo().root.join(status)).unwrap();
    project.write(status, &whole[..whole.len() / 2]);
    hold("tests/it/screens/watch_broken.txt", &screen(&project, 80));
}

#[test]
fn the_screen_of_a_server_says_what_changed() {
    let project = demo();
    let server = project.start();
    let text = fs::read_to_string(project.root.join("docs/09-agents/status.json")).unwrap();
    let changed = text.replacen("\"in-progress\"", "\"in-review\"", 1);
    assert_ne!(changed, text);
    project.write("docs/09-agents/status.json", &changed);
    wait_until("the change is seen", || server.get("/api/activity").json()["count"] == 1);
    let screen = screen(&project, 80);
    assert!(screen.contains("Changes  1"), "{screen}");
    assert!(screen.contains("Changed: in-progress → in-review"), "{screen}");
    assert!(!screen.contains("no server"), "{screen}");
}

#[test]
fn a_screen_that_is_watched_is_drawn_again_on_a_change_and_ends_with_its_reader() {
    let project = demo();
    let server = project.start();
    let mut command = project.command();
    let mut child = command.arg("watch").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = |part: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(part));
        assert!(found.is_some(), "{part}");
    };
    next("Changes  0");
    project.write("docs/09-agents/status.json", r#"{"stories":{}}"#);
    next("removed");
    drop(lines);
    // Something to say, or the look at the reader, ends it.
    wait_until("the command ends", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(server.accepts());
}

#[test]
fn texts_of_the_files_cannot_move_the_cursor() {
    let project = Project::new();
    project.write(
        "docs/09-agents/status.json",
        r#"{"stories":{"US-\u001b[2J":{"title":"a\u001b[31mb\u202ec","status":"blocked","owner":"o\u0007"}}}"#,
    );
    project.start();
    let screen = screen(&project, 200);
    assert!(!screen.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{screen:?}");
    assert!(screen.contains("\\u{1b}"), "{screen}");
}
