//! The commands and clients in the guides of `docs/`, run as they are written, block by block, against a real server. A block
//! of `text` behind one is what it prints; `FLOW_UPDATE=1 cargo test --test it doc_blocks` writes these anew.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::artifacts::golden::hold;
use crate::shell::{Session, bash, folder};
use crate::support::{Project, Ran, free_port, wait_until};
use crate::tools::{has, text};
use crate::transcript::demo;

/// The port on the pages.
const PORT: &str = "3456";

/// A part of a page.
enum Part {
    Prose(String),
    /// The language of a block and its text.
    Block(String, String),
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts = vec![Part::Prose(String::new())];
    for line in page.lines() {
        match (parts.last_mut().unwrap(), line.strip_prefix("```")) {
            (Part::Prose(_), Some(language)) if !language.is_empty() => {
                parts.push(Part::Block(language.to_owned(), String::new()));
            }
            (Part::Block(..), Some("")) => parts.push(Part::Prose(String::new())),
            (Part::Prose(text) | Part::Block(_, text), _) => *text += &[line, "\n"].concat(),
        }
    }
    parts
}

fn joined(parts: &[Part]) -> String {
    parts.iter().fold(String::new(), |mut page, part| {
        let _ = match part {
            Part::Prose(text) => write!(page, "{text}"),
            Part::Block(language, text) => write!(page, "```{language}\n{text}```\n"),
        };
        page
    })
}

/// Runs each block of the languages, and holds the page with what they print against the page as it is.
fn run_page(name: &str, languages: &[&str], mut run: impl FnMut(&str, &str) -> String) -> usize {
    let mut parts = parts(&text(name));
    let mut ran = 0;
    for at in 0..parts.len() {
        let Part::Block(language, text) = &parts[at] else { continue };
        if !languages.contains(&language.as_str()) {
            continue;
        }
        let printed = run(language, text);
        ran += 1;
        let is_expected = |part: Option<&Part>| matches!(part, Some(Part::Block(language, _)) if language == "text");
        let is_next =
            |part: Option<&Part>| matches!(part, Some(Part::Prose(text)) if text.trim().is_empty());
        if is_next(parts.get(at + 1)) && is_expected(parts.get(at + 2)) {
            parts[at + 2] = Part::Block("text".to_owned(), printed);
        }
    }
    hold(name, &joined(&parts));
    ran
}

/// A shell that runs blocks one after the other, where `flow` is the program that is tested.
struct Shell {
    session: Session,
    /// What is printed, and what the page has for it.
    names: Vec<(String, String)>,
    port: u16,
}

impl Shell {
    fn open(at: &Path, base: &Path) -> Self {
        let mut command = bash(at, base);
        command.args(["-eu", "-o", "pipefail"]);
        let session = Session::open(&mut command);
        let port = free_port();
        let names = vec![
            (base.display().to_string(), "/home/you".to_owned()),
            (port.to_string(), PORT.to_owned()),
        ];
        Self { session, names, port }
    }

    /// Runs a block as it is written, but for the port.
    #[track_caller]
    fn run(&mut self, block: &str) -> String {
        // Whoever types is slower than the server.
        let sync = "! [ -S .flow/api-server.sock ] || flow skill status-report > .flow/report 2>&1; rm -f .flow/report";
        let block = block
            .replace(PORT, &self.port.to_string())
            .replace("flow api start\n", &format!("flow api start PORT={}\n", self.port));
        let (code, text) = self.session.run(&format!("{sync}\n{block}"));
        assert!(code.is_some(), "the block failed:\n{block}\n{text}");
        self.name_pids(&text);
        let text = self.names.iter().fold(text, |text, (found, shown)| text.replace(found, shown));
        let text = if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" };
        without_times(&text)
    }

    /// Takes the process from what a start prints.
    fn name_pids(&mut self, text: &str) {
        let pid = text.lines().find_map(|line| line.trim().strip_prefix("pid "));
        self.names.extend(pid.map(|pid| (pid.trim().to_owned(), "4711".to_owned())));
    }
}

/// A text without the times of answers and the counts of snapshots, which differ from run to run.
fn without_times(text: &str) -> String {
    const MEMBER: &str = "\"timestamp\":\"";
    const GENERATION: &str = "  generation ";
    let lines = text.split_inclusive('\n').map(|line| match line.split_once(GENERATION) {
        Some((before, _)) => format!("{before}{GENERATION}7\n"),
        None => line.to_owned(),
    });
    let text: String = lines.collect();
    let mut parts = text.split(MEMBER);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.split_once('"').map_or("", |(_, rest)| rest);
        format!("{text}{MEMBER}…\"{rest}")
    })
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.session.end("flow api stop --all");
    }
}

#[test]
fn the_blocks_of_the_guide_for_beginners_and_of_custom_skills_print_what_they_say() {
    if !has("curl") {
        return;
    }
    for (name, fewest) in [("docs/getting-started.md", 10), ("docs/custom-skills.md", 7)] {
        let (_keep, base) = folder();
        let mut shell = Shell::open(&base, &base);
        let ran = run_page(name, &["sh"], |_, block| shell.run(block));
        assert!(ran >= fewest, "{name}: only {ran} blocks");
    }
}

#[test]
fn the_checks_of_the_page_on_monitoring_work() {
    if !has("curl") {
        return;
    }
    let project = demo();
    let base = project.root.parent().unwrap().to_owned();
    let folder = project.root.join("docs/monitoring");
    fs::create_dir_all(&folder).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/monitoring/check_flow");
    fs::copy(script, folder.join("check_flow")).unwrap();
    let mut shell = Shell::open(&project.root, &base);
    let mut ran = 0;
    run_page("docs/monitoring.md", &["sh"], |_, block| {
        if block.contains("prometheus") {
            return String::new();
        }
        ran += 1;
        shell.run(block)
    });
    assert!(ran >= 3, "only {ran} blocks");
}

/// Runs a program that ends by itself after a change, while a story of the project is changed.
fn run_client(project: &Project, command: &mut Command) -> String {
    let status = "docs/09-agents/status.json";
    let text = fs::read_to_string(project.root.join(status)).unwrap();
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).current_dir(&project.root);
    let mut child = command.spawn().unwrap();
    let mut points = 10;
    wait_until("the client ends", || {
        points += 1;
        project.write(status, &text.replacen("\"points\": 3", &format!("\"points\": {points}"), 1));
        child.try_wait().unwrap().is_some()
    });
    project.write(status, &text);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, said.as_str()), (0, ""), "{ran:?}");
    ran.out
}

#[test]
fn the_clients_on_their_page_work() {
    if !has("curl") || !has("python3") || !has("node") {
        return;
    }
    let project = demo();
    let base = project.root.parent().unwrap().to_owned();
    let mut shell = Shell::open(&project.root, &base);
    shell.run("flow api start\n");
    let port = shell.port.to_string();
    // The blocks of a language are one program: later ones use what earlier ones define.
    let mut before = [String::new(), String::new()];
    let mut printed_before = [String::new(), String::new()];
    let ran = run_page("docs/api-clients.md", &["sh", "python", "js"], |language, block| {
        let (at, program, file) = match language {
            "python" => (0, "python3", "client.py"),
            "js" => (1, "node", "client.mjs"),
            _ => return shell.run(block),
        };
        before[at] += block;
        fs::write(project.root.join(file), before[at].replace(PORT, &port)).unwrap();
        let printed = run_client(&project, Command::new(program).arg(file)).replace(&port, PORT);
        let new = printed.strip_prefix(&printed_before[at]).unwrap_or(&printed).to_owned();
        printed_before[at] = printed;
        new
    });
    assert!(ran >= 9, "only {ran} blocks");
}
