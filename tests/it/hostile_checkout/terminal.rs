//! On a terminal, text from files cannot move the cursor or change the direction of text. In a pipe or a file its bytes
//! are unchanged.

use std::fs;
use std::path::Path;
use std::process::Command;

use flow::model::hidden::is_hidden;

use crate::support::{FLOW, Project, fed};

/// Escape, an operating system command, bell, C1, NUL and an override of the direction.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1m\u{0}\u{202e}z";

fn project() -> Project {
    let project = Project::new();
    project.write(".claude/skills/note.md.tera", &format!("one\t{HOSTILE}\ntwo\n"));
    project
}

/// The output of a command on a terminal.
fn on_terminal(project: &Project, words: &str) -> String {
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &format!("'{}' {words}", *FLOW), "/dev/null"]);
    command.current_dir(&project.root).env("FLOW_RUNTIME_DIR", &project.runtime);
    command.env("XDG_STATE_HOME", project.state()).env("NO_COLOR", "1");
    let done = fed(&mut command, b"");
    String::from_utf8(done.stdout).unwrap()
}

/// The ranges of a character class of JavaScript.
fn ranges(class: &str) -> Vec<(u32, u32)> {
    let mut codes = class.split('\\').skip(1).map(|part| {
        let (part, goes_on) = part.strip_suffix('-').map_or((part, false), |part| (part, true));
        let digits = part.trim_start_matches(['x', 'u', '{']).trim_end_matches('}');
        (u32::from_str_radix(digits, 16).unwrap(), goes_on)
    });
    let mut all = Vec::new();
    while let Some((first, goes_on)) = codes.next() {
        all.push((first, if goes_on { codes.next().unwrap().0 } else { first }));
    }
    all
}

#[test]
fn the_page_and_the_terminal_escape_the_same_characters() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/text.js");
    let script = fs::read_to_string(script).unwrap();
    let class = script.split("const HIDDEN = /[").nth(1).unwrap().split("]/gu").next().unwrap();
    let ranges = ranges(class);
    assert!(ranges.contains(&(0x202e - 6, 0x202e)), "{ranges:?}");
    for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
        let on_page = ranges.iter().any(|(a, b)| (*a..=*b).contains(&u32::from(c)));
        assert_eq!(is_hidden(c), on_page, "{c:?}");
    }
    let project = Project::new();
    let title = "a\u{200b}b\u{e0041}c\u{ad}d";
    let state = format!(r#"{{"stories":{{"US-1":{{"title":"{title}","status":"blocked"}}}}}}"#);
    project.write("docs/09-agents/status.json", &state);
    for words in ["watch --once", "explain US-1", "api get stories", "skill status-report"] {
        let shown = on_terminal(&project, words);
        assert!(!shown.contains(|c| is_hidden(c) && c != '\r'), "{words}: {shown:?}");
        assert!(shown.contains("200b"), "{words}: {shown:?}");
    }
    let json = on_terminal(&project, "api get stories");
    let json = &json[json.find('{').unwrap()..=json.rfind('}').unwrap()];
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["stories"][0]["title"], title);
}

const CALL: &str = "skill note --template .claude/skills/note.md.tera";

#[test]
fn an_artifact_is_shown_escaped_on_a_terminal() {
    let project = project();
    for call in
        [CALL.to_owned(), format!("{CALL} --json"), "skill chain story-skeleton note".to_owned()]
    {
        let shown = on_terminal(&project, &call);
        let is_hostile = |c: char| (c.is_control() && !"\r\n\t".contains(c)) || c == '\u{202e}';
        assert!(!shown.contains(is_hostile), "{call}: {shown:?}");
    }
    let shown = on_terminal(&project, CALL);
    let expected = "one\ta\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{9b}1m\\u{0}\\u{202e}z\r\ntwo\r\n";
    assert!(shown.ends_with(expected), "{shown:?}");
    let json = on_terminal(&project, &format!("{CALL} --json"));
    let value: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    assert_eq!(value["artifacts"][0]["text"], format!("one\t{HOSTILE}\ntwo\n"));
}

#[test]
fn an_artifact_in_a_pipe_or_a_file_keeps_its_bytes() {
    let project = project();
    let expected = format!("one\t{HOSTILE}\ntwo\n");
    let words: Vec<&str> = CALL.split(' ').collect();
    assert_eq!(project.flow(&words).expect(0).out, expected);
    let words = [&words[..], &["--out", "made.md"]].concat();
    project.flow(&words).expect(0);
    assert_eq!(fs::read_to_string(project.root.join("made.md")).unwrap(), expected);
}
