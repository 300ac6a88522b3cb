//! Skills over the protocol: the same text as on the command line, and nothing that the command line would not do.

use serde_json::json;

use super::client::{Client, Revision};
use crate::artifacts::golden::example;
use crate::support::Project;
use crate::transcript::demo;
use flow::skill::generator::SKILLS;
use flow::skill::runtime::catalog;

#[test]
fn each_skill_makes_of_its_example_what_the_command_line_makes() {
    let project = demo();
    let mut client = Client::start(&project, Revision::Inline);
    for skill in SKILLS {
        let fields = example(skill.name);
        let made = client.value(
            "run_skill",
            json!({"name": skill.name, "fields": fields, "now": catalog::EXAMPLES_NOW}),
        );
        let path = project.root.join("example.json");
        std::fs::write(&path, fields.to_string()).unwrap();
        let ran = project.flow(&[
            "skill",
            skill.name,
            "--input",
            "example.json",
            "--json",
            "--now",
            catalog::EXAMPLES_NOW,
        ]);
        std::fs::remove_file(path).unwrap();
        let ran = ran.expect(0).json();
        for part in ["skill", "kind", "artifacts", "open", "notes", "next"] {
            assert_eq!(made[part], ran[part], "{part} of {}", skill.name);
        }
    }
    client.close().in_order();
}

#[test]
fn a_template_of_the_project_is_not_run() {
    let project = Project::new();
    project.write(".claude/skills/note.md.tera", "{{ text }}");
    let mut client = Client::start(&project, Revision::Inline);
    let sentence = client.fault("run_skill", json!({"name": "note", "fields": {"text": "x"}}));
    assert!(sentence.starts_with("there is no skill \"note\"; "), "{sentence}");
    let prompt = client.ask("prompts/get", json!({"name": "note"}));
    assert_eq!(prompt["error"]["code"], -32602, "{prompt}");
    client.close().in_order();
}

#[test]
fn a_skill_reads_no_file_outside_of_the_project() {
    let project = Project::new();
    let outside = project.root.with_file_name("secret.md");
    std::fs::write(&outside, "TODO: secret").unwrap();
    let mut client = Client::start(&project, Revision::Inline);
    for path in ["../secret.md", outside.to_str().unwrap()] {
        let made = client
            .call("run_skill", json!({"name": "tech-debt-register", "fields": {"paths": [path]}}));
        assert!(!made.to_string().contains("TODO: secret"), "{made}");
        assert_eq!(made["isError"], true, "{made}");
    }
    client.close().in_order();
}
