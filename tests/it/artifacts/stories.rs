//! `story-skeleton`: any story reads back as it was written.

use flow::skill::story::{Story, read};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::making::make;
use crate::tools::scaled;

const SKILL: &str = "story-skeleton";

/// The story of a document.
fn read_back(text: &str) -> Story {
    let mut story = Story::default();
    read::text(&mut story, text, "topic").unwrap_or_else(|fault| panic!("{fault}: {text}"));
    story.complete_title();
    story
}

/// Texts of fragments that are significant to the reader, and of any characters.
fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => select(PIECES.split('|').collect::<Vec<_>>()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[ -~]{1,12}",
    ];
    vec(piece, 1..6).prop_map(|pieces| pieces.join(" "))
}

const PIECES: &str = "As a user|I want to|so that|I can pay|Rules:|- R1:|R2: x|## Rules|# Title|**As a**|**I want**|*Open: see|\
    Points: 3|Status: Ready|US-0001|Depends on:|must|at most 3|. |\n|\r\n|\t|\u{2028}|- [ ]|1.|\\|`|\
    Given a user, when it pays, then it is paid|*|";

#[test]
fn any_story_reads_back_as_it_was_written() {
    let lists = (vec(line(), 0..3), vec(line(), 0..3), vec(line(), 0..3));
    let optional =
        (proptest::option::of(line()), proptest::option::of(line()), proptest::option::of(line()));
    let strategy = (line(), optional, lists, proptest::option::of(0..101_u32));
    crate::oracle::messy::run(
        scaled(60, 400),
        &strategy,
        |(topic, (role, want, benefit), (rules, criteria, notes), points)| {
            let fields = json!({
                "topic": topic, "role": role, "want": want, "benefit": benefit, "rules": rules, "criteria": criteria,
                "technical_notes": notes, "points": points,
            });
            let Ok(output) = make(SKILL, fields) else { return };
            let story: Story = serde_json::from_value(output.data).unwrap();
            let text = &output.artifacts[0].text;
            assert_eq!(read_back(text), story, "{text}");
            let again = make(SKILL, json!({"topic": text})).unwrap();
            assert_eq!(again.artifacts, output.artifacts);
        },
    );
}
