//! Writes docs/internals/messages.md: each error, warning and note of the command line with the user's action, its complete text
//! and the exit code, by running the program. `FLOW_UPDATE=1 cargo test --test it messages` writes it anew.
//!
//! The cases are in `cases.txt`, below the title of their section (`##`): what the user does (`#`), who it is if it is a user
//! without rights (`by another`), files that are there (`@ PATH: TEXT`, `⏎` for the end of a line), preparations, which are a
//! script (`+`) or one of [`Scene::prepare`] (`!`), the command (`$`) and its exit code (`=`).

mod scene;
mod sources;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::artifacts::golden::hold;
use crate::tools::is_root;
use scene::Scene;

/// The page.
const PAGE: &str = "docs/internals/messages.md";

const HEAD: &str = "# Messages of the command line\n\n\
    Errors, warnings and notes that `flow` prints, each with its cause and the exit code. A test writes this page\n\
    by running the program; the project is in `/home/you/bookshop`. Errors, warnings and notes go to stderr, results to\n\
    stdout. With `--json` an error is one object on stdout: `error` is the message, `code` its identifier for programs.\n\n\
    | exit code | meaning |\n|---|---|\n\
    | 0 | success; there may be notes and warnings |\n\
    | 1 | valid, but cannot be done in the current state |\n\
    | 2 | an argument, a setting or an input is invalid |\n\
    | 3 | `status`: no server is running |\n\
    | 4 | the server is not responding |\n\n\
    `flow doctor` reports everything that prevents a project from being served, with a remedy for each finding.\n";

/// Something that a user does.
#[derive(Default)]
struct Case {
    /// The title of the case.
    did: &'static str,
    /// Files that are there, with their text.
    files: Vec<(&'static str, String)>,
    /// What else there is: lines with their mark.
    preparations: Vec<(&'static str, &'static str)>,
    /// For a shell.
    command: &'static str,
    exit: i32,
    /// Whether a user without rights runs it, which only root can become.
    is_by_another: bool,
}

impl Case {
    fn read(text: &'static str) -> Self {
        let mut lines = text.lines();
        let mut case = Self { did: lines.next().unwrap(), ..Self::default() };
        for line in lines.filter(|line| !line.is_empty()) {
            let (mark, words) = line.split_once(' ').unwrap();
            match mark {
                "by" if words == "another" => case.is_by_another = true,
                "@" => {
                    let (path, text) = words.split_once(": ").unwrap();
                    case.files.push((path, text.replace('⏎', "\n")));
                }
                "+" | "!" => case.preparations.push((mark, words)),
                "$" => case.command = words,
                "=" => case.exit = words.parse().unwrap(),
                _ => panic!("{}: {line}", case.did),
            }
        }
        case
    }

    /// The paragraph above what is printed, which tells the case from all others.
    fn head(&self) -> String {
        let mut head = format!("\n**{}**", self.did);
        if let [(path, text)] = &self.files[..]
            && text.trim_end().contains('\n')
        {
            let _ = write!(head, "\n\n`{path}`:\n\n```\n{}\n```", text.trim_end());
            return head + "\n";
        }
        // That all files are there and empty is no reason for a message.
        let is_plain = self.files.len() == 4 && self.files.iter().all(|(_, text)| text.len() < 3);
        for (path, text) in self.files.iter().filter(|_| !is_plain) {
            let shown = text.trim_end().replace('\n', "⏎");
            let _ = match shown.as_str() {
                "" => write!(head, " · `{path}`: empty"),
                shown => write!(head, " · `{path}`: `{shown}`"),
            };
        }
        head + "\n"
    }

    /// What it prints, as a block; as the page has it where it cannot be run here.
    fn block(&self, page: &str) -> String {
        if self.is_by_another && !is_root() {
            let behind = page.split(&self.head()).nth(1).unwrap_or_default();
            let last = self.last_line();
            let end = behind.find(&last).map_or(0, |at| at + last.len());
            return behind[..end].to_owned();
        }
        let ran = Scene::of(self.is_by_another).run(self);
        assert_eq!(ran.code, self.exit, "{}: {ran:?}", self.command);
        let out = if ran.err.is_empty() || ran.code != 0 { ran.out.as_str() } else { "" };
        let said = format!("{}{out}", ran.err);
        assert!(!said.is_empty(), "{}: nothing is said", self.command);
        let end = if said.ends_with('\n') { "" } else { "\n" };
        format!("\n````console\n$ {}\n{said}{end}````{}", self.command, self.last_line())
    }

    fn last_line(&self) -> String {
        format!("\nExit code {}.\n", self.exit)
    }
}

fn page() -> String {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let there = fs::read_to_string(there).unwrap_or_default();
    let sections = concat!("\n", include_str!("cases.txt")).split("\n## ").skip(1);
    sections.fold(HEAD.to_owned(), |mut page, section| {
        let (title, cases) = section.split_once('\n').unwrap();
        let _ = write!(page, "\n## {title}\n");
        for case in cases.split("\n# ").skip(1).map(Case::read) {
            page += &case.head();
            page += &case.block(&there);
        }
        page
    })
}

#[test]
fn the_page_of_messages_is_what_the_program_prints() {
    hold(PAGE, &page());
}
