//! The documents, tested: README's commands are run as written, the requests of docs/api.md are sent, and lists are
//! compared with the route table.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flow::model::record::Kind;
use flow::routes::ROUTES;
use serde_json::Value;

use crate::live::Live;
use crate::shell::{bash, git};
use crate::support::{Ran, free_port};
use crate::tools::{has, repository, text};
use crate::transcript::write_demo;

/// The lines of the fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    text.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_answers_in_the_api_page_are_what_the_demo_gives() {
    let live = Live::at(&repository("examples/demo"));
    let page = text("docs/api.md");
    let mut tried = 0;
    for part in page.split("\n`GET ").skip(1) {
        let (target, rest) = part.split_once('`').unwrap();
        let shown: Value = serde_json::from_str(blocks(rest, "json")[0]).unwrap();
        let reply = live.get(target);
        let mut given: Value = serde_json::from_slice(&reply.body).unwrap();
        if let Some(time) = given.get_mut("timestamp") {
            *time = "…".into();
        }
        // Compared as text, since the order of members is part of the answer.
        assert_eq!(shown.to_string(), given.to_string(), "{target}");
        tried += 1;
    }
    assert!(tried >= 7, "only {tried} answers were found in the page");
}

#[test]
fn the_api_page_names_every_path_and_parameter() {
    let page = text("docs/api.md");
    for route in ROUTES.iter().filter(|route| !route.path.contains(":id")) {
        assert!(page.contains(route.path), "the page does not name {}", route.path);
        for parameter in route.parameters {
            assert!(page.contains(parameter.name), "the page does not name {}", parameter.name);
        }
    }
}

#[test]
fn the_api_page_names_the_answers_without_an_etag() {
    let live = Live::new();
    let page = text("docs/api.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = page.split_once("**`ETag`** on every resource but ").unwrap();
    let named = rest.split_once(", derived").unwrap().0.replace(" and ", ", ").replace('`', "");
    let named: Vec<&str> = named.split(", ").collect();
    let is_whole = |path: &&str| !path.contains(":id") && *path != "/api/status";
    let without = ROUTES.iter().map(|route| route.path).filter(is_whole).filter(|path| {
        let reply = live.get(path);
        assert!(reply.status.is_success(), "{path}");
        reply.etag.is_none()
    });
    let expected: Vec<&str> = without.map(|path| path.trim_start_matches("/api/")).collect();
    assert_eq!(named, expected);
}

#[test]
fn the_parameter_q_names_the_fields_that_it_searches() {
    for (path, kind) in [
        ("/api/stories", Kind::Story),
        ("/api/epics", Kind::Epic),
        ("/api/tasks", Kind::Task),
        ("/api/sessions", Kind::Session),
        ("/api/bus/messages", Kind::Message),
    ] {
        let route = ROUTES.iter().find(|route| route.path == path).unwrap();
        let q = route.parameters.iter().find(|parameter| parameter.name == "q").unwrap();
        let (_, rest) = q.gives.split_once("occur in ").unwrap();
        let names = rest.split_once(", ignoring").unwrap().0.replace(" or ", ", ");
        assert_eq!(names.split(", ").collect::<Vec<_>>(), kind.searched(), "{path}");
    }
}

/// README's shell commands that a test can run, in order: those of cargo run, curl and flow.
fn readme_commands() -> Vec<String> {
    let readme = text("README.md");
    let lines = blocks(&readme, "sh").concat();
    let is_tried = |line: &&str| {
        ["cargo run", "curl", "flow", "mkdir"].iter().any(|word| line.starts_with(word))
    };
    lines.lines().filter(is_tried).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_readme_work_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let demo = folder.path().join("examples/demo");
    write_demo(&demo);
    for words in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-q", "-m", "x"],
        &["update-ref", "refs/remotes/origin/main", "HEAD"],
    ] {
        git(&demo, words);
    }
    let port = free_port();
    let mut tried = 0;
    let has_curl = has("curl");
    for written in readme_commands() {
        if written.starts_with("curl") && !has_curl {
            continue;
        }
        let line = written
            .replace("cargo run --release --", "flow")
            .replace("3456", &port.to_string())
            // It would go on for ten minutes.
            .replace("flow demo", "flow demo --once")
            .replace("ACTION=start --project", &format!("ACTION=start PORT={port} --project"))
            .replace("flow api start  ", &format!("flow api start PORT={port}  "));
        let is_own_project = !written.contains("examples/demo") && !written.starts_with("curl");
        let at = if is_own_project { demo.as_path() } else { folder.path() };
        run(&line, at, folder.path());
        tried += 1;
    }
    run("flow api stop", &demo, folder.path());
    assert!(tried >= 10, "only {tried} commands were found");
}

/// Runs a command in a folder; the home is below `base`.
fn run(line: &str, at: &Path, base: &Path) {
    let ran = Ran::from(bash(at, base).args(["-c", line]).output().unwrap());
    assert_eq!(ran.code, 0, "{line}: {ran:?}");
    if line.starts_with("curl") {
        let answer = ran.json();
        assert!(answer.get("error").is_none(), "{line}: {answer}");
        assert_ne!(answer.get("count"), Some(&0.into()), "{line}: {answer}");
    }
}

/// Every test that this binary has, by its name.
fn tests() -> Vec<String> {
    let listed = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

#[test]
fn every_row_of_the_scoreboard_has_its_tests() {
    let tests = tests();
    let rows = text("tests/reliability.rows");
    let rows: Vec<&str> = rows.lines().filter(|line| !line.starts_with('#')).collect();
    let mut numbers: Vec<&str> = Vec::new();
    for row in rows {
        let parts: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = parts[0];
        assert!(!numbers.contains(&number), "row {number} is there twice");
        numbers.push(number);
        let named: Vec<&str> =
            parts[2].split_whitespace().filter(|word| word.contains("::")).collect();
        for name in &named {
            assert!(tests.iter().any(|test| test == name), "row {number}: there is no {name}");
        }
        let fuzzed: Vec<&str> =
            parts[2].split_whitespace().filter_map(|word| word.strip_prefix("fuzz/")).collect();
        for target in &fuzzed {
            assert!(text(&format!("fuzz/fuzz_targets/{target}.rs")).contains("fuzz_target!"));
            assert!(
                text("fuzz/run").contains(target),
                "row {number}: fuzz/run leaves {target} out"
            );
        }
        // What else is named is one of the script's commands, with its name in quotes.
        let script = text("tests/reliability");
        let is_test = |word: &&str| word.contains("::") || word.starts_with("fuzz/");
        let commands: Vec<&str> =
            parts[2].split_whitespace().filter(|word| !is_test(word)).collect();
        for name in &commands {
            assert!(script.contains(&format!("\"{name}\": [")), "row {number}: no command {name}");
        }
        assert!(
            !(named.is_empty() && fuzzed.is_empty() && commands.is_empty()),
            "row {number} has no test"
        );
    }
    assert!((1..=97).all(|row| numbers.contains(&row.to_string().as_str())), "{numbers:?}");
}

#[test]
fn the_tests_that_the_security_page_names_exist() {
    let tests = tests();
    let page = text("SECURITY.md");
    let mut module = String::new();
    let mut named = 0;
    // "…" stands for the module of the name before, or for the rest of a name.
    for name in page.split('`').skip(1).step_by(2) {
        let whole = match name.strip_prefix('…') {
            Some(rest) => format!("{module}::{rest}"),
            None => name.trim_end_matches('…').to_owned(),
        };
        let is_test = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
        if let Some((parent, _)) = whole.rsplit_once("::").filter(|_| is_test(&whole)) {
            assert!(tests.iter().any(|test| test.starts_with(&whole)), "there is no {whole}");
            module = parent.to_owned();
            named += 1;
        }
    }
    assert!(named >= 15, "only {named} tests were found in the page");
}

/// The documents: those of the root, and all below docs.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("docs")];
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|one| one.unwrap().path()) {
            if entry.is_dir() { &mut folders } else { &mut pages }.push(entry);
        }
    }
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    pages
}

/// The text outside of fenced blocks.
fn prose(text: &str) -> String {
    let mut fence = None;
    let is_prose = |line: &&str| {
        let mark = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            None if mark >= 3 => fence = Some(mark),
            Some(open) if mark >= open => fence = None,
            open => return open.is_none(),
        }
        false
    };
    text.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

/// The targets of the links in a page: those of Markdown, of images, and of the elements in it.
fn links(prose: &str) -> Vec<&str> {
    let of_markdown = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let of_elements = ["src=\"", "srcset=\"", "href=\""].into_iter();
    let of_elements = of_elements.flat_map(|name| prose.split(name).skip(1));
    let of_elements = of_elements.filter_map(|rest| rest.split_once('"'));
    of_markdown.chain(of_elements).map(|(target, _)| target).collect()
}

/// The anchors of a page, as a forge makes them of its headings.
fn anchors(text: &str) -> Vec<String> {
    let text = prose(text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_of_the_documents_leads_to_a_file_and_a_heading() {
    let mut wrong = String::new();
    let mut followed = 0;
    for page in documents() {
        let text = fs::read_to_string(&page).unwrap();
        // What stands between backticks is no link.
        let words: String = prose(&text).split('`').step_by(2).collect();
        for link in links(&words).into_iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let is_heading =
                || anchors(&fs::read_to_string(&target).unwrap()).contains(&anchor.to_owned());
            if !target.exists() || !(anchor.is_empty() || is_heading()) {
                let _ = writeln!(wrong, "{}: {link}", page.display());
            }
            followed += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(followed > 100, "only {followed} links were found");
}
