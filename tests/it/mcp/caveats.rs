//! What may not be read as meant: the tools about the project say it, and nothing where all is well.

use serde_json::{Value, json};

use super::client::{Client, Revision};
use crate::caveats::{MISTAKES, STATUS, age};
use crate::support::Project;
use crate::transcript::demo;

fn caveats(project: &Project) -> [Value; 2] {
    let mut client = Client::start(project, Revision::Inline);
    let said = ["get_project_status", "list_attention"]
        .map(|tool| client.value(tool, json!({}))["caveats"].clone());
    client.close();
    said
}

#[test]
fn the_tools_about_the_project_say_what_may_not_be_read_as_meant() {
    let project = Project::new();
    project.write(STATUS, MISTAKES);
    let sentence = "7 records may not be read as meant; the resource flow://problems says which";
    assert_eq!(caveats(&project), [json!([sentence]), json!([sentence])]);
    project.write(STATUS, "{\"stories\":");
    age(&project, STATUS);
    for said in caveats(&project) {
        let sentence = said[0].as_str().unwrap();
        let cause = format!("{STATUS} cannot be read: not valid JSON");
        assert!(sentence.starts_with(&cause), "{said}");
        assert!(sentence.ends_with("no valid version read yet"), "{said}");
    }
    assert_eq!(caveats(&demo()), [Value::Null, Value::Null]);
}
