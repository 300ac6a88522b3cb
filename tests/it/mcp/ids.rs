//! Ids of plans, which contain slashes.

use serde_json::json;

use super::client::{Client, Revision};
use crate::support::Project;

#[test]
fn an_id_with_a_slash_is_an_argument_and_is_encoded_in_a_uri() {
    let project = Project::new();
    project.write("specs/001-login/spec.md", "# Login\n");
    project.write("specs/001-login/tasks.md", "\n- [ ] T002 Write the form\n");
    let mut client = Client::start(&project, Revision::Inline);
    let record = client.value("get_record", json!({"collection": "tasks", "id": "001-login/T002"}));
    assert_eq!(record["title"], "Write the form");
    let explained = client.value("explain_record", json!({"id": "001-login/T002"}));
    assert_eq!(explained["origins"][0]["line"], 2);
    let encoded = "flow://tasks/001-login%2FT002";
    for (uri, part) in [("flow://tasks/001-login/T002", encoded), (encoded, "Write the form")] {
        let answer = client.ask("resources/read", json!({"uri": uri})).to_string();
        assert!(answer.contains(part), "{answer}");
    }
    client.close();
}
