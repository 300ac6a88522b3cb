//! docs/agents.md, on `flow` within a coding agent, shows what its commands print now, and the current tools
//! (`FLOW_UPDATE=1 cargo test --test it agent_docs` updates it); the plugin and the pages of its skills cite what is there.

use std::fmt::Write as _;

use flow::skill::runtime::{catalog, manifest};
use serde_json::Value;

use crate::artifacts::golden::{hold, with_parts};
use crate::support::Project;
use crate::tools::text;
use crate::transcript::{demo, renewed};

const PAGE: &str = "docs/agents.md";

/// What differs from run to run, as one reader saw it.
fn settled(project: &Project, status: &Value, page: &str) -> String {
    let number = |name: &str| status[name].to_string();
    let program = project.command().get_program().to_string_lossy().into_owned();
    let page = page
        .replace(&project.root.display().to_string(), "/home/you/bookshop")
        .replace(&program, "flow")
        .replace(&format!(":{}/", number("port")), ":3456/")
        .replace(&format!("port       {}", number("port")), "port       3456")
        .replace(&format!("pid        {}", number("pid")), "pid        4711")
        .replace(&format!("(pid {})", number("pid")), "(pid 4711)");
    let lines = page.lines().map(|line| match line.split_once("uptime") {
        Some((before, _)) => format!("{before}uptime     0 s\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// The page with what its commands print now, in the demo project, of which the first one starts the server.
fn page() -> String {
    let project = demo();
    let mut status = Value::Null;
    let page = renewed(&project, &text(PAGE), |_| {
        if status.is_null() {
            status = project.status().json();
        }
    });
    settled(&project, &status, &page)
}

/// The tools as a table, from the definitions that clients receive.
fn tools() -> String {
    let pinned: Value = serde_json::from_str(&text("tests/it/mcp/tools.json")).unwrap();
    let mut table = "| tool | what it gives |\n| --- | --- |\n".to_owned();
    for tool in pinned["tools"].as_array().unwrap() {
        let of = |name: &str| tool[name].as_str().unwrap();
        let _ = writeln!(table, "| `{}` | {} |", of("name"), of("description"));
    }
    table
}

#[test]
fn the_page_of_agents_is_what_the_program_prints() {
    hold(PAGE, &with_parts(page(), &[("tools", tools())]));
}

/// The words after `flow` in a text's code, in blocks and in lines.
fn commands(page: &str) -> Vec<Vec<&str>> {
    let code = page.split('`').skip(1).step_by(2);
    let parts = code.flat_map(str::lines).flat_map(|line| line.split(" | "));
    let words = parts.map(|part| part.split_whitespace().collect::<Vec<_>>());
    words.filter_map(|words| Some(words.strip_prefix(&["flow"])?.to_vec())).collect()
}

/// Whether the program knows a command, or the skill or the verb that it names.
fn is_known(project: &Project, words: &[&str]) -> bool {
    match words {
        ["skill", name, ..] => {
            catalog::names().any(|known| known == *name)
                || project.flow(&["skill", name, "--help"]).code == 0
        }
        [command, ..] => project.flow(&[command, "--help"]).code == 0,
        [] => true,
    }
}

#[test]
fn every_skill_says_that_it_needs_the_program_and_cites_only_what_is_there() {
    let project = Project::new();
    let mut cited = 0;
    for skill in catalog::names() {
        let page = catalog::file(skill, "SKILL.md").unwrap();
        let manifest = manifest::read(page).unwrap();
        let needs = manifest.compatibility.unwrap_or_default();
        assert!(needs.starts_with("Needs the program flow in PATH"), "{skill}: {needs}");
        for words in commands(page) {
            cited += 1;
            assert!(is_known(&project, &words), "{skill}: flow {}", words.join(" "));
        }
        for code in page.split('`').skip(1).step_by(2).filter(|code| code.starts_with("assets/")) {
            cited += 1;
            assert!(catalog::file(skill, code).is_some(), "{skill}: {code}");
        }
        assert!(!page.contains("]("), "{skill}: a link leads out of its folder");
    }
    assert!(cited > 100, "only {cited} commands and paths were found");
}

#[test]
fn the_checkout_is_a_plugin_whose_command_is_the_programs() {
    let plugin: Value = serde_json::from_str(&text(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["name"], "flow");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    // The tests of `mcp` talk to this command.
    let server = serde_json::json!({"flow": {"command": "flow", "args": ["mcp"]}});
    assert_eq!(plugin["mcpServers"], server);
    let command = text("commands/api.md");
    let (front, body) = command.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let front: Value = serde_saphyr::from_str(front).unwrap();
    assert_eq!(front["allowed-tools"], "Bash(flow api:*)");
    assert!(body.contains("```\nflow api $ARGUMENTS\n```"), "{body}");
}
