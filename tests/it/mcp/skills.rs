//! Skills over the protocol: the same text as on the command line, and nothing that the command line would not do.

use serde_json::json;

use super::client::{Client, Revision};
use crate::artifacts::golden::example;
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
