//! `flow diff`: what is told of the differences between two states, and what counts as taken back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::random::Random;
use crate::shell::{bash, folder, git};
use crate::support::{FLOW, Project, Ran};
use crate::tools::{has, skip};

const STATUS: &str = "docs/09-agents/status.json";
const REGISTRY: &str = ".flow/state/task-dependencies.json";
const TASKS: &str = "specs/001-search/tasks.md";
/// Without it the folder is none of spec-kit.
const SPEC: &str = "specs/001-search/spec.md";

/// A project whose first state is committed.
fn committed(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    git(&project.root, &["init", "-q", "-b", "main"]);
    for (path, text) in files {
        project.write(path, text);
    }
    git(&project.root, &["add", "-f", "."]);
    git(&project.root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    project
}

/// What is told of each change: `tasks ID change field effect`, without what is not there, in order.
fn told(project: &Project) -> Vec<String> {
    let ran = project.flow(&["diff", "--json"]).expect(0);
    let line = |change: &Value| {
        let words = ["id", "change", "field", "effect"].map(|name| change[name].as_str());
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> =
        ran.json()["changes"].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}

/// The changes from one text of a file to another.
fn between(path: &str, before: &str, after: &str) -> Vec<String> {
    let project = committed(&[(path, before), (SPEC, "# Search\n")]);
    project.write(path, after);
    told(&project)
}

fn story(members: &str) -> String {
    format!(
        r#"{{"stories": {{"US-1": {{"title": "Sign in", {members}}}, "US-2": {{"title": "Sign out", "status": "ready"}}}}}}"#
    )
}

#[test]
fn each_field_of_a_story_has_its_change() {
    let criteria = r#""status": "ready", "acceptance_criteria": ["Answers 400 to a bad token", "Locks after 5 errors"]"#;
    let cases = [
        (r#""status": "ready""#, r#""status": "done""#, "US-1 changed status"),
        (r#""status": "done""#, r#""status": "in-progress""#, "US-1 changed status reopened"),
        (r#""status": "in-progress""#, r#""status": "In_Progress""#, ""),
        (r#""status": "ready""#, r#""state": "ready""#, ""),
        (r#""owner": "ada""#, r#""owner": "ben""#, "US-1 changed owner"),
        (r#""owner": ["ada"]"#, r#""owner": ["ada", "ben"]"#, "US-1 changed owner"),
        (r#""owner": []"#, r#""notes": """#, ""),
        (r#""epic": "EP-1""#, r#""epic": "EP-2""#, "US-1 changed epic_id"),
        (r#""points": 5"#, r#""estimate": 5"#, ""),
        (r#""points": 5"#, r#""points": 3"#, "US-1 changed estimate"),
        (r#""priority": "P0""#, r#""priority": "P2""#, "US-1 changed priority"),
        (r#""depends_on": ["US-2"]"#, r#""deps": "US-2""#, ""),
        (r#""depends_on": ["US-2"]"#, r#""notes": """#, "US-1 removed depends_on weakened"),
        (r#""notes": """#, r#""depends_on": ["US-2"]"#, "US-1 added depends_on"),
        (
            r#""description": "Tokens last 15 minutes""#,
            r#""description": "Tokens expire""#,
            "US-1 reworded description weakened",
        ),
        (
            r#""description": "Tokens last 15 minutes""#,
            r#""description": "Each token lasts 15 minutes""#,
            "US-1 reworded description",
        ),
        (
            r#""description": "Tokens last 15 minutes""#,
            r#""description": " tokens  last **15** minutes.""#,
            "",
        ),
        (
            r#""description": "Tokens last 15 minutes""#,
            r#""notes": """#,
            "US-1 changed description weakened",
        ),
        (
            criteria,
            &criteria.replace(", \"Locks after 5 errors\"", ""),
            "US-1 removed acceptance_criteria weakened",
        ),
        (
            criteria,
            &criteria.replace("Locks after 5 errors", "Locks after errors"),
            "US-1 reworded acceptance_criteria weakened",
        ),
        (
            criteria,
            &criteria.replace("Locks after 5 errors", "An account locks after 5 errors"),
            "US-1 reworded acceptance_criteria",
        ),
        (
            criteria,
            r#""status": "ready", "ac": ["Locks after 5 errors", "Answers 400 to a bad token"]"#,
            "",
        ),
        (
            criteria,
            r#""status": "ready", "criteria": "- [ ] Answers 400 to a bad token\n- [x] Locks after 5 errors""#,
            "US-1 ticked acceptance_criteria",
        ),
        // What is done promises nothing any more.
        (
            &criteria.replace("ready", "done"),
            r#""status": "done""#,
            "US-1 removed acceptance_criteria,US-1 removed acceptance_criteria",
        ),
        // What is not a part of the plan.
        (
            r#""status": "ready""#,
            r#""status": "ready", "updated_at": "2026-01-01T00:00:00Z", "notes": "x""#,
            "",
        ),
    ];
    for (before, after, expected) in cases {
        let found = between(STATUS, &story(before), &story(after));
        assert_eq!(found.join(","), expected, "{before} → {after}");
    }
}

#[test]
fn a_record_that_is_gone_counts_if_it_was_open() {
    let both = r#"{"stories": {"US-1": {"title": "Sign in with a key", "status": "ready"}, "US-2": {"title": "Help page", "status": "done"}}}"#;
    assert_eq!(
        between(STATUS, both, r#"{"stories": {}}"#),
        ["US-1 removed weakened", "US-2 removed"]
    );
    let moved = both.replace("US-1", "US-9");
    assert_eq!(between(STATUS, both, &moved), ["US-9 moved id"]);
    // Its writer gave it another id, and a text that is merely similar.
    let other = moved.replace("with a key", "with some key");
    assert_eq!(between(STATUS, both, &other), ["US-1 removed weakened", "US-9 added"]);
    let project = committed(&[(STATUS, both)]);
    fs::remove_file(project.root.join(STATUS)).unwrap();
    assert_eq!(told(&project), ["US-1 removed weakened", "US-2 removed"]);
    // An empty file cannot be read; that nothing was taken back is not known then.
    project.write(STATUS, "");
    project.flow(&["diff", "--exit-code"]).expect(2);
}

#[test]
fn a_completed_record_with_open_parts_is_a_contradiction() {
    let tasks = r#"{"tasks": {"t-1": {"story_id": "US-1", "title": "Form", "state": "queued"}}}"#;
    let project = committed(&[(STATUS, &story(r#""status": "ready""#)), (REGISTRY, tasks)]);
    project.write(STATUS, &story(r#""status": "done""#));
    assert_eq!(told(&project), ["US-1 changed status contradiction"]);
    let ran = project.flow(&["diff", "--exit-code"]).expect(1);
    assert!(ran.out.contains("done, but open: t-1"), "{ran:?}");
    project.write(REGISTRY, &tasks.replace("queued", "completed"));
    assert_eq!(told(&project), ["US-1 changed status", "t-1 changed state"]);
    project.flow(&["diff", "--exit-code"]).expect(0);
}

const CHECKLIST: &str = "# Tasks\n\n- [ ] T001 Create the search table\n- [x] T002 Write the parser of queries\n- [ ] T003 Answer \
                         400 to a bad query\n- [ ] T004 Write tests\n";

/// An edit of a text, and what is told of it.
type Edit = (&'static dyn Fn(&str) -> String, &'static [&'static str]);

#[test]
fn boxes_are_paired_by_what_they_say() {
    let edits: [Edit; 9] = [
        (&|text| text.replace("- [ ] T001", "- [x] T001"), &["001-search/T001 ticked state"]),
        (
            &|text| text.replace("- [x] T002", "- [ ] T002"),
            &["001-search/T002 unticked state reopened"],
        ),
        (
            &|text| text.replace("- [ ] T004 Write tests\n", ""),
            &["001-search/T004 removed weakened"],
        ),
        (
            &|text| text.replace("- [x] T002 Write the parser of queries\n", ""),
            &["001-search/T002 removed"],
        ),
        (
            &|text| text.replace("Answer 400 to a bad query", "Answer a bad query"),
            &["001-search/T003 reworded title weakened"],
        ),
        (
            &|text| text.replace("Answer 400 to a bad query", "A bad query is answered with 400"),
            &["001-search/T003 reworded title"],
        ),
        // Renumbered by a box in between: the others are the same under other numbers.
        (
            &|text| {
                text.replace("T004", "T005")
                    .replace("T003", "T004")
                    .replace("- [ ] T004 Answer", "- [ ] T003 Choose the store\n- [ ] T004 Answer")
            },
            &["001-search/T003 added", "001-search/T004 moved id", "001-search/T005 moved id"],
        ),
        // A number that stands for something else now.
        (
            &|text| text.replace("Create the search table", "Paint the logo blue"),
            &["001-search/T001 reworded title weakened"],
        ),
        (&|text| format!("{text}\nSome prose.\n").replace("- [ ]", "* [ ]"), &[]),
    ];
    for (edit, expected) in edits {
        assert_eq!(between(TASKS, CHECKLIST, &edit(CHECKLIST)), expected, "{}", edit(CHECKLIST));
    }
}

#[test]
fn a_folder_that_is_renamed_takes_its_boxes_along() {
    let project = committed(&[(TASKS, CHECKLIST), (SPEC, "# Search\n")]);
    fs::rename(project.root.join("specs/001-search"), project.root.join("specs/007-find")).unwrap();
    assert_eq!(told(&project), ["007-find moved id"]);
    project.flow(&["diff", "--exit-code"]).expect(0);
}

#[test]
fn archives_take_nothing_back() {
    let files = [
        ("openspec/changes/add-x/tasks.md", "## 1. A\n- [x] 1.1 Do this\n- [x] 1.2 Do that\n"),
        ("openspec/changes/add-x/proposal.md", "# Add x\n"),
        ("backlog/config.yml", "project_name: x\n"),
        ("backlog/tasks/task-1 - One.md", "---\nid: task-1\ntitle: One\nstatus: To Do\n---\n"),
        ("backlog/tasks/task-2 - Two.md", "---\nid: task-2\ntitle: Two\nstatus: Done\n---\n"),
        // Nothing but the folder changes.
        ("backlog/tasks/task-3 - Three.md", "---\nid: task-3\ntitle: Three\nstatus: Done\n---\n"),
    ];
    let project = committed(&files);
    let to = |from: &str, to: &str| {
        let to = project.root.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(project.root.join(from), to).unwrap();
    };
    to("openspec/changes/add-x", "openspec/changes/archive/2026-01-01-add-x");
    to("backlog/tasks/task-1 - One.md", "backlog/archive/tasks/task-1 - One.md");
    to("backlog/tasks/task-2 - Two.md", "backlog/completed/task-2 - Two.md");
    to("backlog/tasks/task-3 - Three.md", "backlog/completed/task-3 - Three.md");
    let ran = project.flow(&["diff", "--exit-code"]).expect(0);
    assert!(ran.out.contains("Archived"), "{ran:?}");
    let told = told(&project);
    assert!(told.iter().any(|line| line.ends_with("task-3 archived file")), "{told:?}");
    assert!(told.iter().all(|line| line.contains(" archived")), "{told:?}");
    // An open change that goes to the archive with a box less is told.
    let open =
        committed(&[(files[0].0, "## 1. A\n- [x] 1.1 Do this\n- [ ] 1.2 Do that\n"), files[1]]);
    open.write(
        "openspec/changes/archive/2026-01-01-add-x/tasks.md",
        "## 1. A\n- [x] 1.1 Do this\n",
    );
    fs::remove_dir_all(open.root.join("openspec/changes/add-x")).unwrap();
    let ran = open.flow(&["diff", "--exit-code"]).expect(1);
    assert!(ran.out.contains("1.2"), "{ran:?}");
}

#[test]
fn one_write_is_one_row() {
    let stories = |status: &str, owners: [&str; 2]| {
        let story = |at: usize| {
            let owner = owners[at % 2];
            let record =
                json!({"title": format!("Story number {at}"), "status": status, "owner": owner});
            (format!("US-{at}"), record)
        };
        json!({"stories": (1..=100).map(story).collect::<serde_json::Map<_, _>>()}).to_string()
    };
    let owners = ["ada", "ben"];
    let project =
        committed(&[(STATUS, &stories("done", owners)), (TASKS, CHECKLIST), (SPEC, "# Search\n")]);
    project.write(STATUS, &stories("ready", owners));
    fs::remove_dir_all(project.root.join("specs")).unwrap();
    let rows = || {
        let ran = project.flow(&["diff"]).expect(0);
        ran.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let row = "Reopened  US-1, US-2, US-3 and 97 more  done → ready  docs/09-agents/status.json:1";
    assert_eq!(rows(), [row]);
    // An owner that all have in common is named.
    project.write(STATUS, &stories("ready", ["ada", "ada"]));
    assert!(rows()[0].contains("done → ready (ada)"), "{:?}", rows());
    project.write(".flow/config.json", r#"{"formats": ["spec-kit"]}"#);
    let ran = project.flow(&["diff"]).expect(0);
    assert!(
        ran.out.lines().any(|row| row.starts_with("Removed")
            && row.contains("001-search")
            && row.contains("with 3 tasks (open)")),
        "{ran:?}"
    );
}

#[test]
fn long_texts_are_shown_from_where_they_differ() {
    let beginning = "A sentence that is the same in both states. ".repeat(4);
    let before = format!("{beginning}Tokens last 15 minutes");
    let text = |criterion: &str| story(&format!(r#""status": "ready", "ac": ["{criterion}"]"#));
    let project = committed(&[(STATUS, &text(&before))]);
    project.write(STATUS, &text(&before.replace("15 minutes", "long")));
    let ran = project.flow(&["diff"]).expect(0);
    let shown = r#"criterion reworded without "15": "…states. Tokens last 15 minutes" → "…states. Tokens last long""#;
    assert!(ran.out.contains(shown), "{ran:?}");
}

#[test]
fn hostile_texts_are_escaped() {
    let title = r"Ring \u001b[31mred\u001b[0m | `a` <b> \u202e 5 times\nmore";
    let text = |title: &str| {
        format!(r#"{{"stories": {{"US|1": {{"title": "{title}", "status": "ready"}}}}}}"#)
    };
    let project = committed(&[(STATUS, &text(title))]);
    project.write(STATUS, &text("Ring"));
    for more in [&[][..], &["--markdown"], &["--all"]] {
        let ran = project.flow(&[&["diff"], more].concat()).expect(0);
        assert!(ran.out.contains("US"), "{ran:?}");
        assert!(!ran.out.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
    }
    let ran = project.flow(&["diff", "--markdown"]).expect(0);
    let row = ran.out.lines().find(|line| line.starts_with("| Weakened")).unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
    assert!(!row.replace("\\<", "").contains('<'), "{row}");
}

#[test]
fn the_json_has_both_states_and_each_change() {
    let project = committed(&[(STATUS, &story(r#""status": "done""#))]);
    project.write(STATUS, &story(r#""status": "ready""#));
    let ran: Ran = project.flow(&["diff", "--json", "--exit-code"]).expect(1);
    let facts = ran.json();
    let id = git(&project.root, &["rev-parse", "HEAD"]);
    assert_eq!((&facts["from"]["name"], &facts["from"]["revision"]), (&"HEAD".into(), &id.into()));
    assert_eq!(facts["to"]["revision"], Value::Null);
    assert_eq!(
        (&facts["reopened"], &facts["weakened"], &facts["contradictions"]),
        (&1.into(), &0.into(), &0.into())
    );
    let change = &facts["changes"][0];
    let expected = json!({
        "collection": "stories", "id": "US-1", "title": "Sign in", "change": "changed", "field": "status",
        "from": "done", "to": "ready", "effect": "reopened", "file": STATUS, "line": 1,
    });
    assert_eq!(change, &expected);
}

/// The script of the step that compares, in a clone as the workflow's runner has it: at a merge of the branch into main.
#[test]
fn the_workflow_for_pull_requests_runs() {
    let workflow = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/workflows/plan.yml");
    let workflow = fs::read_to_string(workflow).unwrap();
    let (_, script) = workflow.split_once("- name: Compare the plan\n        run: |\n").unwrap();
    let script: String = script.lines().flat_map(|line| [line.trim(), "\n"]).collect();
    let upstream = committed(&[(STATUS, &story(r#""status": "ready", "points": 5"#))]);
    for (members, code, heading) in [
        (r#""status": "ready", "points": 3"#, 0, "### Nothing was taken back from the plan"),
        (r#""status": "done", "points": 5"#, 0, "### Nothing was taken back from the plan"),
        (r#""status": "ready", "points": 5"#, 0, "### No change of the plan"),
        (r#""title": "Sign in", "status": "removed""#, 1, "### The plan promises less"),
    ] {
        let (_folder, base) = folder();
        let from = format!("file://{}", upstream.root.display());
        git(&base, &["clone", "-q", &from, "work"]);
        let work = base.join("work");
        git(&work, &["checkout", "-q", "-b", "branch"]);
        let text = story(members);
        let text =
            if code == 1 { text.replace("US-1", "US-3").replace("Sign in", "Pay") } else { text };
        fs::write(work.join(STATUS), text).unwrap();
        git(&work, &["commit", "-q", "--allow-empty", "-am", "y"]);
        git(&work, &["checkout", "-q", "--detach", "origin/main"]);
        git(&work, &["merge", "-q", "--no-ff", "-m", "merge", "branch"]);
        let summary = base.join("summary.md");
        let mut command = bash(&work, &base);
        command.args(["-e", "-c", &script]).env("GITHUB_BASE_REF", "main");
        let ran =
            Ran::from(command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap()).expect(code);
        let summary = fs::read_to_string(summary).unwrap();
        assert!(summary.starts_with(heading), "{members}: {summary}\n{ran:?}");
    }
}

/// Words of criteria and titles; some of them matter.
const WORDS: [&str; 16] = [
    "parser", "index", "answers", "within", "200ms", "never", "not", "store", "retries", "5",
    "times", "without", "loss", "reader", "writer", "checks",
];

fn sentence(dice: &mut Random) -> String {
    let count = 2 + dice.below(6);
    (0..count).map(|_| dice.one(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// The text with a word more, less or replaced.
fn edited(text: &str, dice: &mut Random) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let at = dice.below(words.len());
    match dice.below(3) {
        0 => words.insert(at, dice.one(&WORDS)),
        1 if words.len() > 1 => _ = words.remove(at),
        _ => words[at] = dice.one(&WORDS),
    }
    words.join(" ")
}

/// A box, or a story with two criteria.
#[derive(Clone)]
struct Item {
    number: usize,
    done: bool,
    texts: [String; 3],
}

/// Edits of a checklist and of stories by chance, told as a script finds them that shares no code with the program.
#[test]
fn edits_by_chance_are_told_as_an_independent_script_finds_them() {
    if !has("python3") {
        return skip("python3 is not installed");
    }
    let mut dice = Random(20);
    let project =
        committed(&[(SPEC, "# Search\n"), (".flow/config.json", r#"{"formats": ["spec-kit"]}"#)]);
    let mut items: Vec<Item> = Vec::new();
    for step in 0..20 {
        for _ in 0..2 + dice.below(8) {
            let at = dice.below(items.len().max(1));
            match (dice.below(8), items.get_mut(at)) {
                (0 | 1, _) | (_, None) => {
                    let texts = [(); 3].map(|()| sentence(&mut dice));
                    let number = items.iter().map(|item| item.number).max().unwrap_or_default() + 1;
                    items.push(Item { number, done: false, texts });
                }
                (2, _) => _ = items.remove(at),
                (3, Some(item)) => item.done = !item.done,
                (4, _) => items.iter_mut().enumerate().for_each(|(at, item)| item.number = at + 1),
                (5, _) => items.swap(at, 0),
                (_, Some(item)) => {
                    let part = dice.below(3);
                    item.texts[part] = edited(&item.texts[part], &mut dice);
                }
            }
        }
        let boxes = items.iter().map(|Item { number, done, texts }| {
            format!("- [{}] T{number:03} {}\n", if *done { 'x' } else { ' ' }, texts[0])
        });
        project.write(TASKS, &format!("# Tasks\n\n{}", boxes.collect::<String>()));
        let stories: serde_json::Map<String, Value> = items
            .iter()
            .map(|Item { number, done, texts }| {
                let [title, one, two] = texts;
                let status = if *done { "done" } else { "ready" };
                let depends_on = items.first().map(|item| format!("US-{}", item.number));
                let story = json!({
                    "title": title, "status": status, "ac": [one, two], "points": number % 5, "deps": [depends_on],
                });
                (format!("US-{number}"), story)
            })
            .collect();
        project.write(STATUS, &json!({"stories": stories}).to_string());
        git(&project.root, &["add", "-f", "."]);
        git(&project.root, &["commit", "-q", "--allow-empty", "-m", &step.to_string()]);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories/compare");
    let mut command = std::process::Command::new("python3");
    command.arg(script).arg(FLOW).arg(&project.root);
    let ran = Ran::from(command.output().unwrap()).expect(0);
    let last = ran.out.lines().last().unwrap();
    let numbers: Vec<usize> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(numbers[0] >= 19 && numbers[1] > 200 && numbers[2] == 0, "{ran:?}");
}

#[test]
fn each_comparison_since_the_last_begins_where_the_last_one_ended() {
    let project = Project::new();
    let since_last =
        |words: &[&str]| project.flow(&[&["diff", "--since-last"][..], words].concat());
    project.write(STATUS, &story(r#""status": "ready", "ac": ["Answers 400", "Locks"]"#));
    let ran = since_last(&[]).expect(0);
    assert_eq!(ran.out, "There was no comparison before.\n");
    assert!(ran.err.contains("this is the first"), "{ran:?}");
    project.write(STATUS, &story(r#""status": "doing", "ac": ["Locks"]"#));
    project.write(SPEC, "# Search\n");
    project.write(TASKS, "- [ ] T001 Look\n");
    let ran = since_last(&["--exit-code"]).expect(1);
    assert!(ran.out.contains("criterion removed: \"Answers 400\""), "{}", ran.out);
    assert!(ran.out.contains("ready → doing") && !ran.out.contains("--all"), "{}", ran.out);
    let ran = since_last(&["--exit-code"]).expect(0);
    assert!(
        ran.out.starts_with("No change of the plan between your last comparison, 20"),
        "{}",
        ran.out
    );

    // While a file cannot be read, the earlier plan stays.
    project.write(STATUS, "{\"stories\": ");
    since_last(&["--exit-code"]).expect(2);
    project.write(STATUS, &story(r#""status": "done", "ac": ["Locks"]"#));
    let ran = since_last(&["--json"]).expect(0);
    let changes = ran.json()["changes"].as_array().unwrap().clone();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!((&changes[0]["from"], &changes[0]["to"]), (&json!("doing"), &json!("done")));

    // Another choice of formats takes nothing back.
    project.write(".flow/config.json", r#"{"formats": ["spec-kit"]}"#);
    assert!(since_last(&["--exit-code"]).expect(0).out.starts_with("No change"));
    project.write(TASKS, "- [x] T001 Look\n");
    assert!(since_last(&[]).expect(0).out.contains("T001"));
    project.write(".flow/config.json", "{}");
    assert!(since_last(&["--exit-code"]).expect(0).out.starts_with("No change"));
    since_last(&["HEAD"]).expect(2);
}

#[test]
fn a_plan_that_a_commit_begins_or_ends_is_told() {
    let project = committed(&[("README.md", "A project\n")]);
    project.write(SPEC, "# Search\n");
    project.write(TASKS, "- [ ] T001 Look\n");
    let ids = ["001-search added", "001-search/T001 added"];
    assert_eq!(told(&project), ids);
    assert!(project.flow(&["diff", "--since-last"]).expect(0).err.contains("first"));
    fs::remove_dir_all(project.root.join("specs")).unwrap();
    let ran = project.flow(&["diff", "--since-last", "--exit-code"]).expect(1);
    assert!(ran.out.contains("001-search"), "{}", ran.out);
}
