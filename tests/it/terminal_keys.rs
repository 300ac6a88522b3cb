//! `flow watch` on a terminal: its keys, the other screen, sizes, and that whatever ends it leaves the terminal as it was.
//! `tests/cases/watch` shows what it prints.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::Signal;
use nix::sys::termios::{Termios, tcgetattr};

use crate::support::{Project, send, wait_until};
use crate::transcript::demo;

const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";

/// A pseudo-terminal on which `flow watch` runs.
struct Terminal {
    /// The side of the person.
    keys: File,
    /// The side of the program, kept open to look at its settings.
    inside: File,
    before: Termios,
    shown: Arc<Mutex<String>>,
    child: Child,
}

impl Terminal {
    fn of(project: &Project, columns: u16, rows: u16, name: &str) -> Self {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let OpenptyResult { master, slave } = openpty(Some(&size), None).unwrap();
        let (keys, inside) = (File::from(master), File::from(slave));
        let before = tcgetattr(&inside).unwrap();
        let stream = || Stdio::from(inside.try_clone().unwrap());
        // `setsid --ctty` makes it the terminal of the program, as a shell does.
        let mut command = project.under(&["setsid", "--ctty"]);
        command.args(["watch", "--now", "2026-03-11T09:30:00Z"]).env("TERM", name);
        // With it, colours are written on every terminal.
        command.env_remove("CI");
        let child = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut output, text) = (keys.try_clone().unwrap(), Arc::clone(&shown));
        // Ends when both sides are closed.
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                text.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { keys, inside, before, shown, child }
    }

    /// The lines of the last screen, without colours.
    fn screen(&self) -> String {
        let text = self.shown.lock().unwrap().clone();
        let last = text.rsplit("\u{1b}[H").next().unwrap().to_owned();
        anstream::adapter::strip_str(&last).to_string()
    }

    /// Presses keys, and waits until the screen has a text.
    fn press(&mut self, keys: &str, text: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        wait_until(text, || self.screen().contains(text));
    }

    /// The exit code, once the terminal has been seen to be as before.
    fn ended(mut self) -> Option<i32> {
        let mut status = None;
        wait_until("the program ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        wait_until("the other screen is left", || self.shown.lock().unwrap().ends_with(LEAVE));
        assert_eq!(tcgetattr(&self.inside).unwrap(), self.before);
        status.unwrap().code()
    }
}

#[test]
fn keys_select_a_row_explain_its_record_and_search_the_rows() {
    let project = demo();
    project.start();
    let mut terminal = Terminal::of(&project, 80, 24, "xterm");
    terminal.press("", ">x failed    task-0009");
    assert!(terminal.shown.lock().unwrap().contains(ENTER));
    assert!(terminal.screen().lines().count() <= 24, "{}", terminal.screen());
    terminal.press("j", "># blocked   task-0008");
    terminal.press("\u{1b}[A", ">x failed    task-0009");
    // Several keys at once count one after the other.
    terminal.press("jj\r", "docs/09-agents/status.json:");
    assert!(terminal.screen().contains("US-0017"), "{}", terminal.screen());
    terminal.press("x", "># blocked   US-0017");
    terminal.press("/webhook", "/webhook");
    let found = terminal.screen();
    assert!(found.contains("US-0010") && !found.contains("task-0009"), "{found}");
    terminal.press("\r\u{1b}", "task-0009");
    terminal.keys.write_all(b"q").unwrap();
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn a_wide_terminal_has_a_second_column_also_after_a_change_of_its_size() {
    let project = demo();
    let mut terminal = Terminal::of(&project, 80, 24, "xterm");
    terminal.press("", ">x failed    task-0009");
    assert!(!terminal.screen().contains("Longest wait"), "{}", terminal.screen());
    let inside = terminal.inside.try_clone().unwrap();
    let mut resize = Command::new("stty");
    resize.args(["cols", "200", "rows", "50"]).stdin(inside);
    assert!(resize.status().unwrap().success());
    terminal.press("", "Longest wait  4");
    let screen = terminal.screen();
    let ends = screen.lines().filter_map(|line| {
        line.chars().count().checked_sub(64).map(|from| line.chars().skip(from).collect::<String>())
    });
    let ends = ends.collect::<Vec<_>>().join(" ");
    let ids = ends.split_whitespace().filter(|word| word.starts_with("US-00"));
    let chain = ["US-0011", "US-0010", "US-0009", "US-0006"];
    assert!(chain.iter().all(|id| ids.clone().any(|word| word == *id)), "{screen}");
    terminal.keys.write_all(b"q").unwrap();
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn what_ends_it_leaves_the_terminal_as_it_was() {
    let project = demo();
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let mut terminal = Terminal::of(&project, 80, 24, "xterm");
        terminal.press("", ">x failed    task-0009");
        if signal == Signal::SIGINT {
            // As the terminal sends it for Ctrl-C.
            terminal.keys.write_all(b"\x03").unwrap();
        } else {
            send(terminal.child.id(), signal);
        }
        assert_eq!(terminal.ended(), Some(code), "{signal}");
    }
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_text() {
    let project = demo();
    let mut terminal = Terminal::of(&project, 80, 24, "dumb");
    wait_until("a screen", || terminal.shown.lock().unwrap().contains("Changes"));
    assert!(!terminal.shown.lock().unwrap().contains('\u{1b}'));
    terminal.child.kill().unwrap();
    terminal.child.wait().unwrap();
}
