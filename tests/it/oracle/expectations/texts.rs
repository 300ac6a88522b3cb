//! The expected form of single strings, times and shares.

use std::time::{Duration, UNIX_EPOCH};

use super::super::json::{self, Json, Text};
use super::super::tally::{COMPLETED, DONE, canonical};
use super::super::{query, time};

#[test]
fn times_of_files_are_cut_to_milliseconds() {
    let text = |micros| time::of_file(UNIX_EPOCH + Duration::from_micros(micros));
    assert_eq!(text(0), "1970-01-01T00:00:00.000Z");
    assert_eq!(text(951_782_399_999_999), "2000-02-28T23:59:59.999Z");
    assert_eq!(text(951_782_400_000_000), "2000-02-29T00:00:00.000Z");
    assert_eq!(text(1_798_761_599_000_999), "2026-12-31T23:59:59.000Z");
}

#[test]
fn strings_mean_what_they_escape() {
    let plain = |text: &str| match json::read(text.as_bytes()) {
        Ok(Json::Text(Text { plain: Some(plain), .. })) => plain,
        Ok(Json::Text(_)) => "lone".to_owned(),
        other => format!("{other:?}"),
    };
    assert_eq!(plain(r#""\"\\\/\b\f\n\r\t""#), "\"\\/\u{8}\u{c}\n\r\t");
    assert_eq!(plain(r#""\u00fc\uD83E\udd80ü""#), "ü🦀ü");
    for lone in [r#""\ud83e""#, r#""\udd80\ud83e""#, r#""\ud83ex\udd80""#] {
        assert_eq!(plain(lone), "lone", "{lone}");
    }
    for wrong in
        [r#""\u12""#, r#""\u12g4""#, r#""\x""#, "\"\t\"", "\"", r#""\"#, "01", "1.", "-", "1e"]
    {
        assert!(json::read(wrong.as_bytes()).is_err(), "{wrong}");
    }
    assert_eq!(Json::text("\u{1}\u{7f}\"\\/\n").compact(), "\"\\u0001\u{7f}\\\"\\\\/\\n\"");
}

#[test]
fn percent_escapes_are_undone_or_refused() {
    assert_eq!(query::decode("a%20%C3%bc+%2b").as_deref(), Some("a ü++"));
    for wrong in ["%", "%a", "%g0", "%ff", "%c3"] {
        assert_eq!(query::decode(wrong), None, "{wrong}");
    }
}

#[test]
fn statuses_have_one_spelling() {
    for (text, story, task) in [
        ("In Progress", "in-progress", "in-progress"),
        ("IN_REVIEW", "in-review", "in-review"),
        ("Complete", "done", "completed"),
        ("completed", "done", "completed"),
        ("DONE", "done", "completed"),
        ("a  b", "a--b", "a--b"),
    ] {
        assert_eq!((&*canonical(text, DONE), &*canonical(text, COMPLETED)), (story, task));
    }
}
