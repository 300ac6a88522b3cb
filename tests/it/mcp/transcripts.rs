//! What both revisions are answered with, whole: `FLOW_UPDATE=1` writes the transcripts anew.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::client::{Client, Revision, hello};
use crate::artifacts::golden::hold;
use crate::transcript::demo;
use flow::skill::generator::SKILLS;

/// What is asked about the state, about skills, and what nobody answers, in both revisions.
fn requests() -> Vec<(String, Value)> {
    serde_json::from_str(include_str!("requests.json")).unwrap()
}

/// Asks everything, one after the other, and gives what was sent and what came back.
fn transcript(client: &mut Client, asked: Vec<(String, Value)>) -> String {
    let mut text = String::new();
    for (method, params) in asked {
        let asked = format!("> {method} {params}");
        let _ = writeln!(text, "{asked}\n< {}\n", client.answer_of(&method, params));
    }
    text
}

impl Client {
    /// The answer to a request without its frame.
    fn answer_of(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert_eq!(answer["jsonrpc"], "2.0");
        let mut answer = if answer["error"].is_null() { answer["result"].clone() } else { answer };
        if let Value::Object(answer) = &mut answer {
            answer.shift_remove("jsonrpc");
            answer.shift_remove("id");
        }
        answer
    }
}

fn held(revision: Revision, file: &str) {
    let project = demo();
    let mut client = Client::silent(&project, revision);
    let begin = match revision {
        Revision::Handshake => ("initialize".to_owned(), hello()),
        Revision::Inline => ("server/discover".to_owned(), json!({})),
    };
    let asked = [begin, ("ping".to_owned(), json!({}))].into_iter().chain(requests());
    // A subscription without a resource has nothing to wait for but the end.
    let (listen, mut asked): (Vec<_>, Vec<_>) =
        asked.partition(|(method, _)| method == "subscriptions/listen");
    if revision == Revision::Handshake {
        asked.extend(listen.clone());
    }
    let mut text = transcript(&mut client, asked);
    if revision == Revision::Inline {
        let (method, params) = listen.into_iter().next().unwrap();
        let id = client.request(&method, params);
        let told = client.find(|message| message["method"].is_string());
        let accepted = &told["params"]["notifications"];
        let _ = writeln!(
            text,
            "the request {method} of an unknown resource
< {accepted}"
        );
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    }
    let ended = client.close().in_order();
    assert_eq!(ended.rest, Vec::<Value>::new());
    hold(file, &text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn the_revision_with_a_handshake_is_answered_as_pinned() {
    held(Revision::Handshake, "tests/it/mcp/2025-11-25.txt");
}

#[test]
fn the_revision_without_a_handshake_is_answered_as_pinned() {
    held(Revision::Inline, "tests/it/mcp/2026-07-28.txt");
}

#[test]
fn the_tools_are_the_pinned_ones_and_read_only() {
    let project = demo();
    let mut client = Client::start(&project, Revision::Handshake);
    let tools = client.ask("tools/list", json!({}))["result"].clone();
    let all = tools["tools"].as_array().unwrap();
    assert!(all.len() <= 10);
    for tool in all {
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], true, "{tool}");
        assert_eq!(hints["destructiveHint"], false, "{tool}");
        assert_eq!(hints["idempotentHint"], true, "{tool}");
        assert_eq!(hints["openWorldHint"], false, "{tool}");
        let schema = &tool["inputSchema"];
        assert!(jsonschema::meta::is_valid(schema), "{tool}");
        assert_eq!(schema["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"], Value::Null, "a model pays for it in each conversation");
        for (name, argument) in tool["inputSchema"]["properties"].as_object().into_iter().flatten()
        {
            assert!(argument["description"].is_string(), "{name} of {tool}");
        }
    }
    hold("tests/it/mcp/tools.json", &format!("{tools:#}\n"));
    client.close().in_order();
}

#[test]
fn each_skill_is_a_prompt_whose_arguments_are_its_fields() {
    let project = demo();
    let mut client = Client::start(&project, Revision::Handshake);
    let prompts = client.ask("prompts/list", json!({}))["result"]["prompts"].clone();
    let prompts = prompts.as_array().unwrap();
    assert_eq!(prompts.len(), SKILLS.len());
    for (prompt, skill) in prompts.iter().zip(SKILLS) {
        assert_eq!(prompt["name"], skill.name);
        let mut arguments = prompt["arguments"].as_array().unwrap().iter();
        let schema = skill.schema();
        for (name, field) in schema["properties"].as_object().unwrap() {
            let argument = arguments.next().unwrap();
            assert_eq!(argument["name"], *name, "{prompt}");
            assert_eq!(argument["description"], field["description"], "{prompt}");
        }
        let content: Vec<&Value> = arguments.map(|argument| &argument["name"]).collect();
        assert!(content.is_empty() || content == ["text"], "{prompt}");
    }
    client.close().in_order();
}

#[test]
fn agents_are_listed_in_short_and_one_of_them_whole() {
    let project = demo();
    let question = |n: usize| {
        let text = "Which of the two prices goes on the receipt? ".repeat(8);
        format!(
            "{{\"timestamp\":\"2026-03-10T12:00:00Z\",\"from\":\"asker-{}\",\"to\":\"api\",\"type\":\"question\",\"story_id\":\"S-{n}\",\"text\":\"{text}\"}}\n",
            n % 40
        )
    };
    project.write("docs/09-agents/bus/log.jsonl", &(0..465).map(question).collect::<String>());
    let mut client = Client::start(&project, Revision::Inline);
    let all = client.value("list_agents", json!({}));
    assert!(all.to_string().len() <= 8 << 10, "{}", all.to_string().len());
    let listed = all["agents"].as_array().unwrap();
    let counts = [&all["count"], &all["left_out"]].map(|count| count.as_u64().unwrap());
    assert_eq!(counts[0], listed.len() as u64);
    assert_eq!(counts[0] + counts[1], all["total"]);
    let api: Value =
        serde_json::from_str(&project.flow(&["api", "get", "agents"]).expect(0).out).unwrap();
    for (short, whole) in listed.iter().zip(api["agents"].as_array().unwrap()) {
        for name in ["id", "state", "more", "needs_you", "last_seen_at"] {
            assert_eq!(short[name], whole[name], "{short}");
        }
        let asked = whole["questions"]["to"].as_array().unwrap().len();
        assert_eq!(short["questions"]["to"], asked, "{short}");
    }
    let one = client.value("list_agents", json!({"agent": "api"}));
    let whole = api["agents"].as_array().unwrap().iter().find(|agent| agent["id"] == "api");
    assert_eq!(one["agents"][0], *whole.unwrap());
    assert_eq!(one["agents"][0]["questions"]["to"].as_array().unwrap().len(), 465);
    client.close();
}
