//! The conditions of health on the files, and the report on a file that never had valid content.

use std::fs;

use flow::project::Source;
use flow::store::snapshot::State;
use serde_json::Value;

use crate::live::Live;
use crate::support::wait_until;

fn status_of(live: &Live, query: &str) -> u16 {
    live.get(&format!("/api/health?{query}")).status.as_u16()
}

#[test]
fn conditions_of_health_hold_or_make_it_a_503() {
    let live = Live::new();
    assert_eq!((status_of(&live, ""), status_of(&live, "require=ok")), (200, 200));
    assert_eq!(status_of(&live, "require=status_file"), 503, "a missing file is not present");
    live.write(Source::Status, "{}");
    live.sync();
    assert_eq!(status_of(&live, "require=status_file"), 200);
    assert_eq!(status_of(&live, "require=status_file,bus_log"), 503);
    assert_eq!(status_of(&live, "require=status_file&require=bus_log"), 503);
    live.write(Source::Bus, "{}\n");
    live.sync();
    assert_eq!(status_of(&live, "require=ok,status_file%2Cbus_log"), 200);
    live.write(Source::Status, "{");
    wait_until("the broken file counts", || live.state(Source::Status) == State::Invalid);
    for (query, status) in [
        ("", 200),
        ("require=ok", 503),
        ("require=status_file", 503),
        ("require=bus_log", 200),
        ("require=bus_log,ok", 503),
    ] {
        assert_eq!(status_of(&live, query), status, "{query}");
    }
    let body: Value = serde_json::from_str(&live.text("/api/health?require=ok")).unwrap();
    assert_eq!(
        (&body["status"], &body["checks"]["status_file"]),
        (&"degraded".into(), &"invalid".into())
    );
    assert_eq!(body["sources"]["status"]["repaired"], 0);
}

#[test]
fn a_status_file_that_was_never_good_is_named_with_reason_and_place() {
    let live = Live::new();
    let sentence = || {
        live.sync();
        let reply = live.get("/api/status");
        assert_eq!(reply.status, 503);
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(
            (&body["code"], &body["file"]),
            (&"state_invalid".into(), &"docs/09-agents/status.json".into())
        );
        let (text, reason) = (body["error"].as_str().unwrap(), body["reason"].as_str().unwrap());
        assert!(text.contains(reason), "{text}: {reason}");
        text.strip_prefix("docs/09-agents/status.json ").unwrap().to_owned()
    };
    for (text, expected) in [
        (
            "{\"a\":1,\n\"b\" 2}",
            "is not valid JSON (line 2, column 5): a colon is missing after a key",
        ),
        (
            "{\"a\":",
            "is not valid JSON (line 1, column 5): it ends in the middle: a closing } or ] is missing, or its writer was interrupted",
        ),
        ("", "is empty"),
        (" \n", "is empty"),
        ("[]", "is not a JSON object"),
        (
            "{\"a\":\"\u{1}\"}",
            "is not valid JSON (line 1, column 6): a line break or control character in a text: a closing quote is missing, or write \\n",
        ),
    ] {
        live.write(Source::Status, text);
        assert_eq!(sentence(), format!("{expected}; no valid version read yet"), "{text}");
        assert!(live.text("/api/stories").contains("\"count\":0"));
    }
    fs::remove_file(live.file(Source::Status)).unwrap();
    fs::create_dir(live.file(Source::Status)).unwrap();
    assert_eq!(sentence(), "is not a regular file; no valid version read yet");
    fs::remove_dir(live.file(Source::Status)).unwrap();
    live.sync();
    assert_eq!(live.get("/api/status").status, 404);
    live.write(Source::Status, "{\"n\":1}");
    live.sync();
    live.write(Source::Status, "{");
    live.sync();
    assert_eq!(live.text("/api/status"), "{\"n\":1}", "the last good content");
}
