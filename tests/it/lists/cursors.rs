//! Cursors through a log that grows, is rotated, rewritten, or loses its oldest part.

use flow::routes::MOST_EXAMINED_MESSAGES;
use serde_json::{Value, json};

use super::{LOG, Served, lines, numbers};
use crate::live::Live;

/// Follows cursors from the start to the end.
fn follow(served: &Served, query: &str) -> (Vec<u64>, String) {
    let mut cursor = "start".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = served.get(&format!("/api/bus/messages?cursor={cursor}&{query}"));
        seen.extend(numbers(&page));
        if page["more"] == false {
            return (seen, page["next_cursor"].as_str().unwrap_or("none").to_owned());
        }
        page["next_cursor"].as_str().unwrap().clone_into(&mut cursor);
    }
}

#[test]
fn a_cursor_leads_through_a_log_that_grows() {
    let served = Served::of(&[(LOG, "")]);
    let page = served.get("/api/bus/messages?cursor=start");
    assert_eq!((&page["next_cursor"], &page["more"]), (&json!("start"), &json!(false)));
    served.append(&lines(0..20));
    let (seen, end) = follow(&served, "limit=3");
    assert_eq!(seen, (0..20).collect::<Vec<_>>());
    // More than one chunk, of which some are merged.
    for n in 20..120 {
        served.append(&lines(n..n + 1));
    }
    let rest = served.get(&format!("/api/bus/messages?cursor={end}&limit=1000"));
    assert_eq!(numbers(&rest), (20..120).collect::<Vec<_>>());
    assert_eq!((&rest["total"], &rest["more"]), (&json!(120), &json!(false)));
    // A message without its newline counts, and its position does not change when the line ends.
    served.append("{\"n\":120}");
    let last = served.get("/api/bus/messages?cursor=start&limit=1000");
    let cursor = last["next_cursor"].as_str().unwrap();
    served.append("\n{\"n\":121}\n");
    assert_eq!(numbers(&served.get(&format!("/api/bus/messages?cursor={cursor}"))), [121]);
    // The same after a restart.
    let again = Live::at(served.0.project.root());
    let reply = again.get(&format!("/api/bus/messages?cursor={cursor}"));
    assert_eq!(numbers(&serde_json::from_slice(&reply.body).unwrap()), [121]);
}

#[test]
fn a_cursor_goes_backwards_and_with_filters() {
    let served = Served::of(&[(LOG, &lines(0..50))]);
    let (seen, end) = follow(&served, "order=desc&limit=7");
    assert_eq!((seen, end.as_str()), ((0..50).rev().collect(), "none"));
    let page = served.get("/api/bus/messages?cursor=start&order=desc&limit=10&from=b");
    let cursor = page["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(numbers(&page), [49, 47, 45, 43, 41, 39, 37, 35, 33, 31]);
    // Later content does not matter to a reader of earlier content.
    served.append(&lines(50..70));
    let (from_b, from_a) = (format!("{cursor}&from=b"), format!("{cursor}&from!=b"));
    let next = |rest: &str| {
        numbers(&served.get(&format!("/api/bus/messages?order=desc&limit=2&cursor={rest}")))
    };
    assert_eq!((next(&from_b), next(&from_a)), (vec![29, 27], vec![30, 28]));
    assert_eq!(follow(&served, "limit=4&from!=b").0, (0..70).step_by(2).collect::<Vec<_>>());
    assert_eq!(follow(&served, "limit=4&since=2026-01-01").0, Vec::<u64>::new());
}

#[test]
fn a_cursor_is_gone_after_a_rotation() {
    let served = Served::of(&[(LOG, &lines(0..40))]);
    let page = served.get("/api/bus/messages?cursor=start&limit=10");
    let cursor = page["next_cursor"].as_str().unwrap().to_owned();
    let target = format!("/api/bus/messages?cursor={cursor}&limit=1");
    assert_eq!(numbers(&served.get(&target)), [10]);
    // Rotated to its last lines: there is a message at the same position, but a different one.
    served.rotate(|text| text.split_inclusive('\n').skip(20).collect());
    let gone = served.refused(&target, 410);
    assert_eq!((&gone["code"], &gone["cursor"]), (&json!("cursor_expired"), &json!(cursor)));
    // Shorter than the position.
    served.rotate(|_| lines(0..5));
    served.refused(&target, 410);
    // Rewritten with the same content: nothing has moved.
    served.rotate(|_| lines(0..40));
    assert_eq!(numbers(&served.get(&target)), [10]);
    // The same line at the position, a different one before it.
    served.rotate(|text| text.replacen("\"n\":5,", "\"n\":6,", 1));
    served.refused(&target, 410);
}

#[test]
fn a_cursor_stays_right_when_the_oldest_part_is_left_out() {
    let limits = r#"{"limits":{"bus_bytes":2500}}"#;
    let served = Served::of(&[(".flow/config.json", limits), (LOG, &lines(100..200))]);
    let page = |cursor: &str| format!("/api/bus/messages?cursor={cursor}&limit=60");
    let (old, new) = (served.get(&page("start")), served.get("/api/bus/messages?cursor=start"));
    let of = |page: &Value| page["next_cursor"].as_str().unwrap().to_owned();
    served.append(&lines(200..280));
    let now = served.get("/api/bus/messages?limit=1");
    assert!(now["left_out_bytes"].as_u64().unwrap() > 0, "{now}");
    let next = served.get(&page(&of(&new)));
    assert_eq!(numbers(&next), (200..260).collect::<Vec<_>>());
    served.append(&lines(280..400));
    served.refused(&page(&of(&old)), 410);
}

#[test]
fn a_search_by_cursor_goes_on_where_it_stopped_looking() {
    let line = |n: u64| {
        let word = if n % 10_000 == 5 { "needle" } else { "hay" };
        json!({"n": n, "message": word}).to_string() + "\n"
    };
    let text: String = (0..30_000).map(line).collect();
    let served = Served::of(&[(LOG, &text)]);
    let first = served.get("/api/bus/messages?cursor=start&q=needle");
    assert_eq!((numbers(&first), &first["more"]), (vec![5, 10_005], &json!(true)));
    assert_eq!(follow(&served, "q=NEEDLE&limit=1").0, [5, 10_005, 20_005]);
    // Without a cursor the newest are searched, and the number of the others is stated.
    let newest = served.get("/api/bus/messages?q=needle");
    assert_eq!((numbers(&newest), &newest["total"]), (vec![10_005, 20_005], &json!(2)));
    assert_eq!(newest["left_out_messages"], 30_000 - MOST_EXAMINED_MESSAGES);
    let sorted = served.get("/api/bus/messages?sort=n&limit=1&offset=1");
    assert_eq!((numbers(&sorted), &sorted["total"]), (vec![10_001], &json!(20_000)));
    assert_eq!(served.get("/api/bus/messages?q=needle&sort=-n&since=2026-01-01")["count"], 0);
}
