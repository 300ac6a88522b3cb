//! Generates docs/agents.md: `flow` within a coding agent, as a plugin and as installed skills. The page shows the
//! current output of the program; `FLOW_UPDATE=1 cargo test --test it agent_docs` updates it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::artifacts::golden::hold;
use crate::support::Project;
use crate::transcript::{block, demo, run, show};

/// The commands that the agent's user types and the agent runs.
const TYPED: &[&str] = &["ACTION=start PORT=0", "ACTION=status", "ACTION=stop"];

/// The commands about the state of the project.
const LIVE: &[&str] = &[
    "flow skill agent-brief US-0014",
    "flow skill handoff-note agent=api commits=none",
    "flow skill blocker-analysis epic=EP-0002",
    "flow skill diagram-generator state=epics",
];

const HEAD: &str = "# flow inside a coding agent\n\n\
    Agents use the same skills as the command line: folders with a SKILL.md, in the format of Agent Skills.\n\n\
    ## As a plugin\n\n\
    The checkout is a plugin named `flow`: `.claude-plugin/plugin.json` names it, `commands/api.md` is its command, and \
    every folder under `skills/` is one of its skills. Install the program ([README.md](../README.md#install)), then \
    load a checkout for one session:\n\n\
    ```sh\nclaude --plugin-dir path/to/the/checkout\n```\n\n\
    A checkout is also a marketplace (`.claude-plugin/marketplace.json`), from which the plugin is installed \
    permanently; use a clone without build output, since the whole folder is copied:\n\n\
    ```sh\nclaude plugin marketplace add path/to/the/clone\nclaude plugin install flow@flow\n```\n\n\
    `/flow:api ACTION=start` and `/flow:story-skeleton` are then available. The command runs `flow api` with its \
    arguments and reports the output. The same arguments work in a terminal:\n";

const INSTALL: &str = "\n## In one project\n\n\
    Without the plugin, the skills can be copied into a project, where agents find them. Nothing is \
    overwritten without `--force`, and `--to DIR` selects another folder:\n";

const MCP: &str = "\n## Over the Model Context Protocol\n\n\
    `flow mcp` gives an agent the project's state and the skills as tools, resources and prompts, on standard input and \
    output. It only reads, follows the files by itself, and needs no server. The agent's own settings start it:\n\n\
    - Claude Code: `claude mcp add flow -- flow mcp`, run in the project. With `--scope project` it writes `.mcp.json`, \
    for everybody who works on the project:\n\n\
    ```json\n{\n  \"mcpServers\": {\n    \"flow\": { \"command\": \"flow\", \"args\": [\"mcp\"] }\n  }\n}\n```\n\n\
    - Cursor, in `.cursor/mcp.json`:\n\n\
    ```json\n{\n  \"mcpServers\": {\n    \"flow\": { \"command\": \"flow\", \"args\": [\"mcp\", \"--project\", \
    \"${workspaceFolder}\"] }\n  }\n}\n```\n\n\
    - VS Code, in `.vscode/mcp.json`:\n\n\
    ```json\n{\n  \"servers\": {\n    \"flow\": { \"type\": \"stdio\", \"command\": \"flow\", \"args\": [\"mcp\", \
    \"--project\", \"${workspaceFolder}\"] }\n  }\n}\n```\n\n\
    If an agent does not find `flow`, give its full path (`command -v flow`). Without `--project` it is the project \
    that the current folder lies in, as for every command.\n";

const MCP_USE: &str = "\nResources are `flow://attention`, `agents`, `stories`, `epics`, `tasks`, `sessions`, \
    `messages`, `metrics`, `activity`, `problems`, `health` and `status`, and one record as `flow://stories/US-0014` (also \
    `epics`, `tasks`, `sessions`). A client that watches one (`subscriptions/listen`, in the revision of 2025 \
    `resources/subscribe`) is told when it changes on disk. Each skill is a prompt, whose arguments are the skill's \
    fields, and `text` for its content. The project's own templates are not offered. Limits are in \
    [limits.md](limits.md).\n";

const STATE: &str = "\n## On the project's state\n\n\
    Some skills read the project's state from the running server, else from the files. An agent that starts \
    generates its brief, one that stops writes a note for its successor, and for planning there is an \
    analysis of the blockers:\n";

const CHAIN: &str = "\n## Chains of skills\n\n\
    An agent passes the output of a skill to the next one as an envelope (`--json`), or uses `chain`. Open \
    questions are printed and listed under `open` in the envelope: people should answer them, not the \
    agent.\n";

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
    page += MCP;
    page += &tools();
    page += MCP_USE;
    page += STATE;
    for command in LIVE {
        page += &show(&project, command);
    }
    page += CHAIN;
    page += &show(
        &project,
        "flow skill chain story-skeleton acceptance-criteria-generator \"As a reader I want to share a list so that a \
    friend sees it\"",
    );
    settled(&project, &status, &page)
}

/// The tools as a table, from the definitions that clients receive.
fn tools() -> String {
    let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/tools.json");
    let pinned: Value = serde_json::from_str(&fs::read_to_string(pinned).unwrap()).unwrap();
    let mut table = "\n| tool | what it gives |\n| --- | --- |\n".to_owned();
    for tool in pinned["tools"].as_array().unwrap() {
        let text = |name: &str| tool[name].as_str().unwrap();
        let _ = writeln!(table, "| `{}` | {} |", text("name"), text("description"));
    }
    table
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
