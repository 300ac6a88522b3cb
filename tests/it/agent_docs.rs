//! docs/agents.md is made here: `flow` inside a coding agent, as a plugin and as installed skills. What it shows is what
//! the program prints now; `FLOW_UPDATE=1 cargo test --test it agent_docs` writes it anew.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::artifacts::golden::hold;
use crate::support::Project;
use crate::transcript::{block, demo, run, show};

/// What the agent's user types, and what the agent runs for it.
const TYPED: &[&str] = &["ACTION=start PORT=0", "ACTION=status", "ACTION=stop"];

/// What an agent asks about the project.
const LIVE: &[&str] = &[
    "flow skill agent-brief US-0014",
    "flow skill handoff-note agent=api commits=none",
    "flow skill blocker-analysis epic=EP-0002",
    "flow skill diagram-generator state=epics",
];

const HEAD: &str = "# flow inside a coding agent\n\n\
    An agent reads the same skills as the command line: a folder with a SKILL.md each, in the format of Agent Skills. \
    This page is made by a test; what it shows is what the program prints.\n\n\
    ## As a plugin\n\n\
    The checkout is a plugin named `flow`: `.claude-plugin/plugin.json` names it, `commands/api.md` is its command, and \
    every folder under `skills/` is one of its skills. Install the program ([README.md](../README.md#install)), then \
    load a checkout for one session:\n\n\
    ```sh\nclaude --plugin-dir path/to/the/checkout\n```\n\n\
    A checkout is a marketplace too (`.claude-plugin/marketplace.json`), from which the plugin is installed for good; \
    take a clone for it in which nothing was built, since the whole folder is copied:\n\n\
    ```sh\nclaude plugin marketplace add path/to/the/clone\nclaude plugin install flow@flow\n```\n\n\
    `/flow:api ACTION=start` and `/flow:story-skeleton` are then there as written. The command runs `flow api` with what \
    follows it and tells you what was printed. The same words work in a terminal:\n";

const INSTALL: &str = "\n## In one project\n\n\
    Without the plugin, the skills can be copied into a project, where agents look for them by themselves. Nothing is \
    overwritten without `--force`, and `--to DIR` copies them elsewhere:\n";

const STATE: &str = "\n## On the project's state\n\n\
    Some skills read what the agents of the project are doing, from the running server, else from the files. An agent that \
    begins asks for its brief, one that ends leaves a note for the next, and whoever plans asks what is in the way:\n";

const CHAIN: &str = "\n## From skill to skill\n\n\
    An agent passes on what a skill made by its envelope (`--json`), or lets `chain` do it. Questions that stay open are \
    printed as such and listed under `open` in the envelope: they are for people to answer, not for the agent to fill \
    in.\n";

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

fn page() -> String {
    let project = demo();
    let mut page = HEAD.to_owned();
    let mut status = Value::Null;
    for typed in TYPED {
        let command = format!("flow /flow:api {typed}");
        let ran = run(&project, &command);
        assert_eq!(ran.code, 0, "{ran:?}");
        if status.is_null() {
            status = project.status().json();
        }
        page += &block(&command, &ran);
    }
    page += INSTALL;
    page += &show(&project, "flow skill install");
    page += STATE;
    for command in LIVE {
        page += &show(&project, command);
    }
    page += CHAIN;
    page += &show(
        &project,
        "flow skill chain story-skeleton acceptance-criteria-generator \"As a reader I want to share a list so that a friend sees it\"",
    );
    settled(&project, &status, &page)
}

#[test]
fn the_page_of_agents_is_what_the_program_prints() {
    hold("docs/agents.md", &page());
}

#[test]
fn the_checkout_is_a_plugin_whose_command_is_the_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let plugin: Value = serde_json::from_str(&text(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["name"], "flow");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let command = text("commands/api.md");
    let (front, body) = command.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let front: Value = serde_saphyr::from_str(front).unwrap();
    assert_eq!(front["allowed-tools"], "Bash(flow api:*)");
    assert!(body.contains("```\nflow api $ARGUMENTS\n```"), "{body}");
}
