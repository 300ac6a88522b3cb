//! The complete output of diagram-generator for arrows, data and fields, and the inputs that it refuses.

use serde_json::{Value, json};

use super::making::make;
use crate::support::{self, Project};

const SKILL: &str = "diagram-generator";

fn text(fields: Value) -> String {
    make(SKILL, fields).unwrap().artifacts[0].text.clone()
}

#[test]
fn chains_groups_and_messages_are_written_as_one_would() {
    assert_eq!(
        text(json!({"text": "browser -> api -> db: SQL\nmail queue"})),
        "flowchart TD\n  mail_queue[\"mail queue\"]\n  browser --> api\n  api -->|\"SQL\"| db\n"
    );
    assert_eq!(
        text(
            json!({"text": "web [front] -> api [back end] --> db [back end]", "type": "architecture"})
        ),
        "flowchart LR\n  subgraph front\n    web\n  end\n  subgraph back_end[\"back end\"]\n    api\n    db\n  end\n  \
         web --> api\n  api -.-> db\n"
    );
    assert_eq!(
        text(json!({"messages": ["Browser -> Web API -> DB: read", "DB --> Web API: rows"]})),
        "sequenceDiagram\n  participant Browser\n  participant Web_API as Web API\n  participant DB\n  \
         Browser->>Web_API: #160;\n  Web_API->>DB: read\n  DB-->>Web_API: rows\n"
    );
}

/// Relations come from foreign keys, references and lists; one that both sides declare is drawn once.
#[test]
fn data_of_any_kind_are_entities_with_relations() {
    let project = Project::new();
    project.write(
        "shop.sql",
        "CREATE TABLE users (id bigserial PRIMARY KEY, email varchar(80) NOT NULL UNIQUE);\n\
         CREATE TABLE orders (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id), gift_to bigint REFERENCES users (id), total numeric(8,2));\n",
    );
    project.write(
        "order.json",
        r#"{"id": 7, "customer": {"name": "Ada"}, "lines": [{"sku": "a-1", "count": 2}]}"#,
    );
    project.write(
        "api.yaml",
        "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    Pet:\n      type: object\n      required: [owner]\n      properties:\n        id: {type: integer, format: int64}\n        owner: {$ref: '#/components/schemas/Owner'}\n        tags: {type: array, items: {type: string}}\n    Owner:\n      type: object\n      properties:\n        name: {type: string, nullable: true}\n        pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}\n",
    );
    let run = |words: &[&str]| project.flow(&[&["skill", SKILL], words].concat()).expect(0).out;
    assert_eq!(
        run(&["--input", "shop.sql"]),
        "erDiagram\n  users {\n    bigint id PK\n    varchar email UK\n  }\n  orders {\n    bigint id PK\n    \
         bigint user_id FK\n    bigint gift_to FK\n    numeric total\n  }\n  orders }o--|| users : \"user_id\"\n  \
         orders }o--o| users : \"gift_to\"\n"
    );
    assert_eq!(
        run(&["--input", "order.json", "name=Order"]),
        "erDiagram\n  Order {\n    integer id\n    customer customer\n    line[] lines\n  }\n  customer {\n    \
         string name\n  }\n  line {\n    string sku\n    integer count\n  }\n  Order }o--|| customer : \"customer\"\n  \
         Order ||--o{ line : \"lines\"\n"
    );
    assert_eq!(
        run(&["--input", "api.yaml"]),
        "erDiagram\n  Pet {\n    int64 id\n    Owner owner\n    string[] tags\n  }\n  Owner {\n    string name\n    \
         Pet[] pets\n  }\n  Pet }o--|| Owner : \"owner\"\n"
    );
    assert_eq!(
        run(&["User: id uuid pk, orders -> Order[]; Order: id uuid pk, user -> User"]),
        "erDiagram\n  User {\n    uuid id PK\n    Order[] orders\n  }\n  Order {\n    uuid id PK\n    \
         uuid user FK\n  }\n  Order }o--|| User : \"user\"\n"
    );
}

/// A pipe and `key=value` words combine, labels are fields, and a diagram can be drawn again from its envelope.
#[test]
fn content_and_fields_combine() {
    let project = Project::new();
    let piped = |words: &[&str], bytes: &[u8]| {
        let mut command = project.command();
        command.args(["skill", SKILL]).args(words);
        String::from_utf8(support::fed(&mut command, bytes).stdout).unwrap()
    };
    let arrows = "web -> api -> db";
    let wanted = "flowchart LR\n  web --> api\n  api --> db\n";
    assert_eq!(piped(&["direction=LR"], arrows.as_bytes()), wanted);
    assert_eq!(piped(&[], b"Direction: LR\n\nweb -> api -> db\n"), wanted);
    assert_eq!(
        piped(&[], br#"{"edges": ["web -> api", {"from": "api", "to": "db"}], "direction": "LR"}"#),
        wanted
    );
    let envelope = piped(&["--json"], arrows.as_bytes());
    assert_eq!(piped(&["direction=LR"], envelope.as_bytes()), wanted);
}

#[test]
fn a_sentence_is_refused_with_the_form() {
    let project = Project::new();
    for (words, part) in [
        (
            "The browser talks to the api, which reads the database.",
            "has no arrow; the form is `The -> browser: label`",
        ),
        (
            "web -> api\nthen the api, reads ->",
            "line 2: \"then the api, reads ->\" has an arrow without a node on one side",
        ),
        ("web ->> api", "\"> api\", which is not a node"),
        ("flowchart TD\n  a --> b", "a diagram of Mermaid already"),
    ] {
        let said = project.flow(&["skill", SKILL, words]).expect(2).err;
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let refused = |fields: Value, part: &str| {
        let fault = make(SKILL, &fields).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    };
    refused(json!({}), "\"text\" is missing");
    refused(json!({ "edges": [3] }), "edges[0]");
    refused(json!({ "edges": ["a -> b", "c"] }), "\"edges[1]\", line 1: \"c\" has no arrow");
    refused(json!({ "edges": [{"from": "a"}] }), "\"edges[0].to\" is missing");
    refused(json!({ "text": "-> b" }), "line 1: \"-> b\"");
    refused(json!({ "text": "a [x] -> b\na [y] -> b" }), "in one group, and a is in x already");
    refused(json!({ "text": "a -> b", "type": "pie" }), "one of \"flowchart\"");
    refused(json!({ "text": "a -> b", "width": 5 }), "20 to 1000");
    refused(
        json!({ "text": "a -> b", "state": "epics" }),
        "\"text\" and \"state\" both say what is drawn",
    );
    refused(
        json!({ "text": "a -> b", "ddl": "CREATE TABLE a (b int);" }),
        "\"text\" and \"ddl\" both",
    );
    refused(json!({ "epic": "EP-0001", "text": "a -> b" }), "given with state=stories");
    refused(json!({ "state": "stories", "epic": "EP-9999" }), "\"epic\" is \"EP-9999\"");
}
