//! Skills on a project whose files cannot be read, and inputs that no skill expects. `artifacts` tests hostile
//! records.

use std::fs;
use std::os::unix::fs::symlink;

use crate::artifacts::commits::repository;
use crate::support::Project;
use crate::transcript::demo;

const STATUS: &str = "docs/09-agents/status.json";

fn half_written() -> Project {
    let project = demo();
    let whole = fs::read_to_string(project.root.join(STATUS)).unwrap();
    project.write(STATUS, &whole[..whole.len() / 2]);
    project
}

#[test]
fn a_file_that_is_not_read_is_named_in_the_artifact() {
    let project = half_written();
    for words in [
        &["epic-planner", "Returns\n- Ask for a label (3)"][..],
        &["handoff-note", "api"],
        &["retro-facilitator"],
        &["status-report"],
        &["tech-debt-register"],
    ] {
        let call = [&["skill"], words].concat();
        let ran = project.flow(&call).expect(0);
        let asked = format!("{STATUS} (status) is invalid (repair the file");
        let listed = format!("- {asked}");
        assert!(ran.out.contains("## Open questions") && ran.out.contains(&listed), "{ran:?}");
        assert!(ran.err.contains(&format!("open question: {asked}")), "{ran:?}");
        project.flow(&[&call[..], &["--strict"]].concat()).expect(1);
    }
}

#[test]
fn a_skill_without_the_stories_that_it_needs_names_the_file_that_was_not_read() {
    let project = half_written();
    for words in
        [&["agent-brief", "US-0009"][..], &["blocker-analysis"], &["sprint-planner", "20 points"]]
    {
        let ran = project.flow(&[&["skill"], words].concat()).expect(2);
        assert!(ran.err.contains(STATUS), "{ran:?}");
    }
}

#[test]
fn an_epic_that_is_not_found_in_a_file_that_is_not_read_names_the_file() {
    let ran = half_written().flow(&["skill", "epic-planner", "EP-0002"]).expect(2);
    assert!(ran.err.contains(STATUS) && !ran.err.contains("has none"), "{ran:?}");
}

#[test]
fn settings_that_cannot_be_read_are_not_called_no_project() {
    let project = demo();
    project.write(".flow/config.json", "{broken");
    let ran = project.flow(&["skill", "status-report"]).expect(2);
    assert!(ran.err.contains("config.json") && !ran.err.contains("here is none"), "{ran:?}");
}

#[test]
fn an_unknown_name_within_a_chain_is_named() {
    let project = demo();
    let words = ["skill", "chain", "status-report", "nosuch", "diagram-generator"];
    let ran = project.flow(&words).expect(2);
    assert!(ran.err.contains("there is no skill \"nosuch\""), "{ran:?}");
    let text = ["skill", "chain", "blocker-analysis", "US-0008"];
    assert!(project.flow(&text).expect(0).out.contains("US-0008"), "input is no name");
}

#[test]
fn words_that_nothing_takes_are_refused() {
    let project = demo();
    for verb in ["list", "check"] {
        let ran = project.flow(&["skill", verb, "extra"]).expect(2);
        assert!(ran.err.contains("\"extra\""), "{ran:?}");
    }
    let ran = project.flow(&["skill", "remove", "status-report"]).expect(2);
    assert!(ran.err.contains("built-in skills cannot be removed"), "{ran:?}");
}

#[test]
fn a_range_without_commits_is_asked_about_and_not_counted() {
    let ran = demo().flow(&["skill", "pr-description", "--from-story", "US-0012"]).expect(0);
    assert!(!ran.out.contains("0 commits"), "{ran:?}");
    let project = demo();
    repository(&project.root)(&["commit", "-q", "--allow-empty", "-m", "feat: begin"]);
    let empty = ["skill", "pr-description", "range=HEAD..HEAD", "--from-story", "US-0012"];
    let ran = project.flow(&empty).expect(0);
    assert!(
        ran.err.contains("commits: the range HEAD..HEAD has none (add range=BASE..HEAD)"),
        "{ran:?}"
    );
}

#[test]
fn a_recorded_title_keeps_its_letters() {
    let project = demo();
    let status =
        r#"{"stories": {"US-1": {"title": "iOS app starts", "status": "ready", "points": 2}}}"#;
    project.write(STATUS, status);
    let ran = project.flow(&["skill", "sprint-planner", "20 points"]).expect(0);
    assert!(ran.out.contains("| iOS app starts |"), "{ran:?}");
}

#[test]
fn a_question_shows_an_id_that_is_blank() {
    let project = demo();
    project.write(STATUS, r#"{"stories": {" ": {"title": "x", "status": "in-progress"}}}"#);
    let ran = project.flow(&["skill", "status-report"]).expect(0);
    assert!(ran.out.contains("- owner: not recorded for (blank)"), "{ran:?}");
}

#[test]
fn what_cannot_be_written_leaves_nothing_and_a_link_that_leads_nowhere_stays() {
    let project = demo();
    project.write("out/status-report.md/in-the-way", "");
    project.flow(&["skill", "status-report", "--out", "out/", "--force"]).expect(1);
    let left = fs::read_dir(project.root.join("out")).unwrap().count();
    assert_eq!(left, 1, "only what was there");
    let link = project.root.join("link.md");
    symlink("nowhere", &link).unwrap();
    let ran = project.flow(&["skill", "status-report", "--out", "link.md"]).expect(1);
    assert!(ran.err.contains("is a symlink"), "{ran:?}");
    assert!(link.is_symlink());
}

#[test]
fn a_story_that_needs_itself_is_not_asked_to_go_before_itself() {
    let project = demo();
    let story =
        r#"{"title": "x", "status": "ready", "points": 1, "epic": "EP-1", "depends_on": ["US-1"]}"#;
    let status =
        format!(r#"{{"epics": {{"EP-1": {{"title": "E"}}}}, "stories": {{"US-1": {story}}}}}"#);
    project.write(STATUS, &status);
    let ran = project.flow(&["skill", "epic-planner", "EP-1"]).expect(0);
    assert!(ran.out.contains("Cycle: US-1 -> US-1.\n"), "{ran:?}");
}

#[test]
fn a_blank_id_is_shown_where_it_needs_what_is_not_there() {
    let project = demo();
    let status = r#"{"stories": {" ": {"title": "x", "status": "ready", "depends_on": ["US-9"]}}}"#;
    project.write(STATUS, status);
    let ran = project.flow(&["skill", "blocker-analysis"]).expect(0);
    assert!(ran.out.contains("- depends_on: (blank) needs US-9, "), "{ran:?}");
    let status = r#"{"stories": {" ": {"title": "x", "status": "ready"}}}"#;
    project.write(STATUS, status);
    let ran = project.flow(&["skill", "blocker-analysis"]).expect(0);
    assert!(ran.out.contains("- Ready: (blank).\n"), "{ran:?}");
    assert!(ran.out.contains("| (blank) | x | ready |"), "{ran:?}");
}
