//! Filters, pages, times, tallies and the lines of a log.

use super::*;

const LOG: &str = concat!(
    r#"{"ts":"2026-03-01T10:00:00Z","agent":"a","story":"S1","type":"x"}"#,
    "\n",
    r#"{"at":"2026-03-01 12:00:00+02:00","sender":"b","storyId":"S2","type":"y","to":"a"}"#,
    "\r\n\n",
    r#"{"timestamp":"2026-03-02","from":"a","type":"x"}{"timestamp":"soon","type":7}"#,
    "\n",
);

#[track_caller]
fn check_total(query: &str, total: &str) {
    check_member(&bus(LOG), &format!("/api/bus/messages?{query}"), ("total", total));
}

#[test]
fn filters_join_with_or_inside_and_and_between() {
    check_total("", "4");
    check_total("from=a", "2");
    check_total("from=a,b&type=x", "2");
    check_total("from=a&from=b", "3");
    check_total("from=,,a,&story_id=S1&_=123", "1");
    check_total("from=a%2Cb", "3");
    check_total("from=none", "1");
    check_total("type=7", "1");
    check_total("to=a", "1");
}

#[test]
fn times_are_inclusive_and_dates_are_days() {
    check_total("since=2026-03-01T10:00:00Z", "3");
    check_total("since=2026-03-01T10:00:00.000001Z", "1");
    check_total("until=2026-03-01T12:00:00%2B02:00", "2");
    check_total("until=2026-03-01T09:59:59.999Z", "0");
    check_total("until=2026-03-01", "2");
    check_total("since=2026-03-02&until=2026-03-02", "1");
    check_total("since=0000-01-01&until=9999-12-31", "3");
    check_total("since=2026-03-03&until=2026-03-01", "0");
}

#[test]
fn a_page_says_where_the_next_begins() {
    let files = bus(LOG);
    let page = |query: &str| {
        let Body::Bytes(body) = answer(&files, &format!("/api/bus/messages?{query}")).body else {
            panic!("no page")
        };
        let text = String::from_utf8(body).unwrap();
        text[text.find(r#""count""#).unwrap()..].to_owned()
    };
    let end = |counts: &str| format!(r#"{counts},"timestamp":"{T}"}}"#);
    let of = r#""count":3,"total":4,"limit":3,"offset":0,"next_offset":3"#;
    assert_eq!(page("limit=3"), end(of));
    let of = r#""count":1,"total":4,"limit":3,"offset":3,"next_offset":null"#;
    assert_eq!(page("limit=3&offset=3"), end(of));
    let of = r#""count":0,"total":4,"limit":0,"offset":0,"next_offset":null"#;
    assert_eq!(page("limit=0"), end(of));
    let of = r#""count":0,"total":4,"limit":100,"offset":9223372036854775807,"next_offset":null"#;
    assert_eq!(page("offset=9223372036854775807"), end(of));
    let first = r#"[{"timestamp":"soon","type":7}]"#;
    check_member(&files, "/api/bus/messages?order=desc&limit=1", ("messages", first));
}

#[test]
fn wrong_parameters_are_named() {
    for (query, named) in [
        ("limit=10001", "limit"),
        ("limit=-1", "limit"),
        ("limit=1.5", "limit"),
        ("limit=1&limit=2", "limit"),
        ("limit=1,2", "limit"),
        ("offset=9223372036854775808", "offset"),
        ("offset=abc", "offset"),
        ("since=yesterday", "since"),
        ("since=2026-02-29", "since"),
        ("until=2026-03-01T24:00:00Z", "until"),
        ("until=2026-03-01T10:00", "until"),
        ("order=up", "order"),
        ("from=%ff", "from"),
        ("active=true", "active"),
    ] {
        let wrong = (400, "invalid_parameter", &[named][..]);
        check_error(&bus(LOG), &format!("/api/bus/messages?{query}"), wrong);
    }
}

#[test]
fn a_line_is_read_up_to_its_first_bad_object() {
    let files = bus(concat!(
        "\u{feff}{\"n\":1}\n",
        "\u{feff} {\"n\":2} {\"n\":1e999}{\"n\":0}\n",
        "[]{\"n\":0}\n",
        "\n",
        "{\"n\":3}{\"n\":\"\\ud800\"}\n",
        "{\"n\":4},{\"n\":0}\n",
        "{\"n\":5,\"n\":6}{\"n\":7}{\"n\":"
    ));
    let list = r#"[{"n":1},{"n":2},{"n":3},{"n":4},{"n":6},{"n":7}]"#;
    check_member(&files, "/api/bus/messages", ("messages", list));
    check_problems(&files, &["skipped 2", "skipped 3", "skipped 5", "skipped 6"]);
    check_problems(&bus(b"{\"n\":\"\xff\"}\n{}"), &["skipped 1"]);
    check_member(&bus("{}"), "/api/bus/messages", ("total", "1"));
}

#[test]
fn tallies_are_zero_filled_and_sum_up() {
    let files = tasks(
        r#"{"tasks":{"a":{"state":"Done"},"b":{"status":"on_hold"},"c":{"state":null},"d":{}}}"#,
    );
    let stats = concat!(
        r#"{"total":4,"by_state":{"queued":0,"running":0,"completed":1,"failed":0,"#,
        r#""blocked":0,"cancelled":0,"on-hold":1,"none":2},"by_agent":{"none":4}}"#
    );
    check_member(&files, "/api/tasks?state=queued", ("stats", stats));
    check_member(&files, "/api/tasks?state=COMPLETE,On%20Hold", ("count", "2"));
    check_member(&files, "/api/tasks?state=none", ("count", "2"));
    check_error(&files, "/api/tasks?state=lost", (400, "invalid_parameter", &["state"]));
    check_member(&status("{\"stories\":{\"a\":{}}}"), "/api/stories?status=lost", ("count", "0"));
}

#[test]
fn metrics_count_everything() {
    let files = Files {
        status: Some(file(
            r#"{"stories":{"a":{"status":"DONE","owner":"x","epic":"E"},
                "b":{"status":"in progress","owner":7},"c":{}}}"#,
        )),
        ..bus(LOG)
    };
    let body = concat!(
        r#"{"stories_total":3,"stories_completed":1,"completion_percent":33.3,"#,
        r#""stories":{"total":3,"completed":1,"by_status":{"ready":0,"in-progress":1,"#,
        r#""blocked":0,"in-review":0,"done":1,"none":1},"by_owner":{"x":1,"7":1,"none":1}},"#,
        r#""tasks":{"total":0,"by_state":{"queued":0,"running":0,"completed":0,"failed":0,"#,
        r#""blocked":0,"cancelled":0},"by_agent":{}},"#,
        r#""epics":{"total":1,"by_status":{"none":1}},"sessions":{"total":0,"active":0},"#,
        r#""bus":{"total":4,"by_type":{"x":2,"y":1,"7":1},"by_sender":{"a":2,"b":1,"none":1},"#,
        r#""first_at":"2026-03-01T10:00:00Z","last_at":"2026-03-02"},"timestamp":"T"}"#
    );
    check(&files, "/api/metrics", body);
}
