//! What may not be read as it is meant.

use super::*;

/// Asserts which stories of a map are suspicious.
#[track_caller]
fn check_stories(stories: &str, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|id| format!("suspicious {id}")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check_problems(&status(format!(r#"{{"stories":{{{stories}}}}}"#)), &expected);
}

/// The number of entries for one story with these members.
#[track_caller]
fn count(members: &str) -> usize {
    let files = status(format!(r#"{{"stories":{{"US-5":{{{members}}}}}}}"#));
    let Body::Problems(found, _) = answer(&files, "/api/problems").body else { panic!() };
    found.list.len()
}

#[test]
fn names_that_resemble_a_documented_one() {
    for suspicious in [
        r#""stauts":"done""#,
        r#""Status":"whatever""#,
        r#""status_text":"in progress""#,
        r#""titel":"x""#,
        r#""onwer":"x""#,
        r#""asignee":"x""#,
        r#""assignees":["x"]"#,
        r#""responsible":"x","owner":"""#,
        r#""EpicID":7"#,
        r#""epci_id":"E""#,
        r#""parentEpic":"E","epic":null"#,
        r#""depnds_on":["US-1"]"#,
        r#""requires":["us-1","US-2"]"#,
        r#""needs":"US-1 and TECH-2""#,
        r#""blockers":[{"id":"US-1"}]"#,
        r#""waiting_on":7"#,
        r#""DependsOn":"the legal team""#,
        r#""acceptence_criteria":["x"]"#,
        r#""Story Points":true"#,
        r#""craeted_at":"2026-01-01""#,
        r#""Updated_At":"soon""#,
        r#""complted_at":1772359200"#,
    ] {
        assert_eq!(count(suspicious), 1, "{suspicious}");
    }
}

#[test]
fn names_that_are_the_writers_own() {
    for name in [
        r#""stauts":"sunny""#,
        r#""stauts":null"#,
        r#""stauts":"done","state":"done""#,
        r#""requires":"python>=3.11""#,
        r#""needs":["a clinician","2FA"]"#,
        r#""requires":["US-1"],"blocked_by":[]"#,
        r#""stats":{"hp":1},"states":"CA","stages":[1]"#,
        r#""tile":"x","owned":"yes","store_id":"7","estimated":1"#,
        r#""tilte":" ""#,
        r#""treated_at":"2026-01-01","created_on":"2026-01-01","start":"2026-01-01""#,
        r#""craeted_at":"soon""#,
        r#""study_id":"7","topic_id":"7","epicc_idd":"7""#,
        r#""point":3,"efforts":3,"update":"x""#,
        r#""locked_by":"US-1","booked_by":"x""#,
        r#""assigned":true,"assigned_by":"x""#,
        r#""ac":1,"prio":1,"ID":"x","Ow":1"#,
    ] {
        assert_eq!(count(name), 0, "{name}");
    }
}

#[test]
fn a_name_of_many_records_is_reported_once_or_not_at_all() {
    let story = |n: usize, members: &str| format!(r#""US-{n}":{{{members}}},"#);
    let of = |all: usize, named: usize, members: &str| {
        let stories = (0..all).map(|n| story(n, if n < named { members } else { "" }));
        stories.collect::<String>().trim_end_matches(',').to_owned()
    };
    check_stories(&of(5, 2, r#""titel":"x""#), &["US-0", "US-1"]);
    check_stories(&of(5, 3, r#""titel":"x""#), &[]);
    check_stories(&of(30, 3, r#""titel":"x""#), &["US-0", "US-1", "US-2"]);
    check_stories(&of(29, 3, r#""titel":"x""#), &[]);
    check_stories(&of(5, 3, r#""Title":"x""#), &["stories"]);
    check_stories(&of(5, 5, r#""headline":"x","Owner":"y""#), &["stories", "stories"]);
    check_stories(&of(5, 5, r#""headline":"x","title":"y""#), &[]);
    // Also those that have the documented name count.
    let mixed = r#""a":{"titel":"x","title":"y"},"b":{"titel":"x","title":"y"},"c":{"titel":"x"}"#;
    check_stories(mixed, &[]);
    check_stories(&mixed.replace("titel", "Title"), &["stories"]);
}

#[test]
fn statuses_that_resemble_a_known_word() {
    for (status, entries) in [
        ("\"blokced\"", 1),
        ("\"InProgress\"", 1),
        ("\"in progres\"", 1),
        ("\"doen\"", 1),
        ("\"compelted\"", 1),
        ("\"\"", 0),
        ("\"placed\"", 0),
        ("\"docked\"", 0),
        ("\"shipped\"", 0),
        ("\"Done\"", 0),
        ("7", 1),
        ("true", 1),
        ("{}", 1),
        ("null", 0),
    ] {
        assert_eq!(count(&format!(r#""status":{status}"#)), entries, "{status}");
    }
    check_stories(r#""a":{"status":"blokced"},"b":{"state":"Blokced"}"#, &[]);
    check_stories(r#""a":{"state":"redy"},"b":{"status":"ready"}"#, &["a"]);
    check_problems(
        &tasks(r#"{"tasks":{"a":{"status":"runing"},"b":{"state":3}}}"#),
        &["suspicious a", "suspicious b"],
    );
    check_problems(&sessions(r#"{"sessions":{"a":{"status":"actve"},"b":{"status":7}}}"#), &[]);
    check_problems(
        &status(r#"{"epics":{"E":{"status":[]}},"stories":{"s":{"epic_id":"F"}}}"#),
        &["suspicious E"],
    );
}

#[test]
fn dependencies_on_nothing() {
    assert_eq!(count(r#""depends_on":["US-8","US-9","the team"]"#), 2);
    assert_eq!(count(r#""depends_on":[true,[],{}],"deps":[{"id":" "}]"#), 1);
    assert_eq!(count(r#""depends_on":["US-8",{}]"#), 2);
    assert_eq!(count(r#""depends_on":["us-5"]"#), 0);
    assert_eq!(count(r#""depends_on":["US-8",{}],"status":"archived""#), 0);
    check_problems(
        &tasks(r#"{"tasks":{"a":{"deps":["x1"]},"b":{"deps":["x1"],"state":"failed"}}}"#),
        &["suspicious a"],
    );
}

#[test]
fn times_that_cannot_be_read() {
    for (time, entries) in [
        ("\"soon\"", 1),
        ("\"2026-02-29\"", 1),
        ("\"2026-03-01T10:00Z\"", 1),
        ("177235920", 1),
        ("1772359200.5", 1),
        ("{}", 1),
        ("[]", 1),
        ("\"  \"", 1),
        ("\" 2026-03-01 \"", 0),
        ("1772359200", 0),
        ("1772359200000", 0),
        ("\"\"", 0),
        ("null", 0),
        ("false", 0),
        ("\" TBD \"", 0),
        ("\"n/a\"", 0),
    ] {
        for name in ["completed_at", "createdAt", "last_seen"] {
            assert_eq!(count(&format!(r#""{name}":{time}"#)), entries, "{name} {time}");
        }
        assert_eq!(count(&format!(r#""due_at":{time},"updated":{time}"#)), 0, "{time}");
    }
    check_problems(
        &sessions(r#"{"sessions":{"a":{"lastActive":"x","ended_at":"y"}}}"#),
        &["suspicious a", "suspicious a"],
    );
}

#[test]
fn collections_under_other_names() {
    for (name, is_wrong) in [
        ("userStories", true),
        ("user_stories", true),
        ("Stories", true),
        ("stroies", true),
        ("EPIC", true),
        ("tickets", true),
        ("stores", false),
        ("series", false),
        ("studies", false),
        ("notes", false),
    ] {
        let expected = format!("suspicious {name}");
        let expected = if is_wrong { vec![expected.as_str()] } else { vec![] };
        for value in [r#"{"a":{"n":1}}"#, "[7,{}]"] {
            check_problems(&status(format!(r#"{{"{name}":{value}}}"#)), &expected);
        }
        for value in ["{}", r#"{"a":1}"#, "[[]]", "7", "null"] {
            check_problems(&status(format!(r#"{{"{name}":{value}}}"#)), &[]);
        }
    }
    check_problems(&status(r#"{"tickets":[{}],"stories":{"a":{}}}"#), &[]);
    check_problems(&tasks(r#"{"jobs":{"a":{}}}"#), &["suspicious jobs"]);
    check_problems(&tasks(r#"{"Tasks":{"a":{}},"tasks":null}"#), &["suspicious Tasks"]);
    check_problems(&tasks(r#"{"jobs":{"a":{}},"tasks":{}}"#), &[]);
    check_problems(
        &sessions(r#"{"agents":[{}],"sesions":[{}]}"#),
        &["suspicious agents", "suspicious sesions"],
    );
}

#[test]
fn strays_in_another_case() {
    let files = status(
        r#"{"us-1":{},"Ep-2":{"a":{}},"US_3":{},"TECH-4":{},"bug-5":7,"us-east-1":{},"tech-stack":{},
            "Stories":[{}]}"#,
    );
    check_problems(
        &files,
        &["suspicious us-1", "suspicious Ep-2", "suspicious US_3", "suspicious Stories"],
    );
}

#[test]
fn one_id_in_two_files() {
    let check = |story: &str, task: &str, is_wrong: bool| {
        let files = Files {
            status: Some(file(format!(r#"{{"stories":{{"US-1":{{{story}}},"7":{{{story}}}}}}}"#))),
            ..tasks(&format!(r#"{{"tasks":{{"US-1":{{{task}}},"7":{{{task}}}}}}}"#))
        };
        let expected: &[&str] = if is_wrong { &["suspicious US-1"] } else { &[] };
        check_problems(&files, expected);
    };
    check(r#""status":"done""#, r#""state":"running""#, true);
    check(r#""status":"done""#, r#""state":"failed""#, false);
    check(r#""status":"ready""#, r#""state":"completed""#, true);
    check(r#""status":"In Review""#, r#""state":"completed""#, false);
    check(r#""title":"One""#, r#""name":" two ""#, true);
    check(r#""title":"One""#, r#""name":" ONE ""#, false);
    check(r#""title":"One""#, r#""description":"two""#, false);
}

#[test]
fn names_of_messages() {
    let files = bus(concat!(
        r#"{"form":"a","To":"b"}{"date":"2026-01-01"}"#,
        "\n",
        r#"{"from":"a","form":"x","time":"soon"}"#,
        "\n",
        r#"{"by":"a","frm":"b","storyID":1,"types":"x","when":"later"}"#,
        "\nbad\n",
        r#"{"form":"a","timestamp":"soon"}"#,
    ));
    let expected = ["1", "1", "1", "2", "3", "3"].map(|line| format!("suspicious {line}"));
    let expected: Vec<&str> = expected.iter().map(String::as_str).chain(["skipped 4"]).collect();
    check_problems(&files, &expected);
    let log = |line: &str, times: usize| bus(format!("{line}\n").repeat(times));
    check_problems(&log(r#"{"event_type":"x"}"#, 3), &["suspicious messages"]);
    check_problems(&log(r#"{"form":"x"}"#, 3), &[]);
    check_problems(&log(r#"{"form":"x"}"#, 2), &["suspicious 1", "suspicious 2"]);
}

#[test]
fn the_order_of_entries() {
    let files = Files {
        bus: Some(file("bad\n{\"form\":\"x\"}\n")),
        tasks: Some(file(r#"{"tasks":{"S1":{"state":"queued"},"b":{"stauts":"x"},"c":7}}"#)),
        ..status(
            r#"{"us-1":{},"stories":{"S1":{"status":"done","Owner":1},"b":{"deps":"X9","Owner":1},
                "c":{"Owner":1,"status":8}},"epics":{"E":{"titel":"x"},"F":7}}"#,
        )
    };
    check_problems(
        &files,
        &[
            "suspicious us-1",
            "suspicious E",
            "suspicious stories",
            "suspicious b",
            "suspicious c",
            "skipped F",
            "suspicious S1",
            "skipped c",
            "suspicious 2",
            "skipped 1",
        ],
    );
}

#[test]
fn names_of_other_records() {
    let files = tasks(
        r#"{"tasks":{"a":{"assignee":"x","descripton":"y"},"b":{"descripton":"y","name":"z"},
            "c":{"stat":"done"},"d1":{"prerequisites":["d2"]}}}"#,
    );
    check_problems(&files, &["suspicious a", "suspicious a", "suspicious c", "suspicious d1"]);
    let files = sessions(
        r#"{"sessions":{"a":{"stattus":"active","brnch":"x"},"b":{"last_activity":"2026-01-01"},
            "c":{"batch":"7","Title":"x","endedat":"x"}}}"#,
    );
    check_problems(&files, &["suspicious a", "suspicious a", "suspicious b", "suspicious c"]);
    let files = status(
        r#"{"epics":{"E":{"stage":"done","stories":{"US-1":{"EpicId":"F"},"US-2":{"epic":"","EPIC":"x"}}},
            "F":{"stage":"greybox","gaol":"x"}}}"#,
    );
    check_problems(&files, &["suspicious E", "suspicious F"]);
}
