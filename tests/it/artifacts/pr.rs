//! `pr-description`: every commit and criterion once, boxes ticked only by evidence, and clean Markdown.

use std::path::Path;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::{Fault, Output};
use flow::skill::project_state::Context;
use flow::skill::project_state::state::State;
use serde_json::{Value, json};

use super::commits::repository;
use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make, make_in};

const NAME: &str = "pr-description";
const SECTIONS: [&str; 6] =
    ["Summary", "Changes", "Testing", "Acceptance criteria", "Checklist", "Related issues"];

#[track_caller]
fn text(output: &Output) -> String {
    let text = output.artifacts[0].text.clone();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let known: Vec<&str> =
        SECTIONS.into_iter().filter(|section| headings.contains(section)).collect();
    assert_eq!(headings, known, "{text}");
    for section in ["Summary", "Testing", "Checklist", "Related issues"] {
        assert!(headings.contains(&section), "{section}: {text}");
    }
    text
}

fn ticked(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("- [x] ")).collect()
}

#[test]
fn the_markdown_is_clean_and_everything_stands_once() {
    let mut texts = vec![text(&example_output(NAME))];
    assert_eq!(ticked(&texts[0]).len(), 5, "{}", texts[0]);
    for part in [
        "1f0c2ab94d",
        "77ab01c3e2",
        "9c41d7aa05",
        "b1c55e0f3a",
        "A reader with a passkey",
        "A browser without passkeys",
    ] {
        assert_eq!(texts[0].matches(part).count(), 1, "{part}");
    }
    let hostile: Vec<Value> = HOSTILE
        .iter()
        .map(|text| json!(format!("fix: {text}\n\n{text}\n\nRefs: #1 {text}")))
        .collect();
    let output = make(NAME, json!({
        "title": HOSTILE.join(" "), "summary": HOSTILE.join("\n\n# "), "commits": hostile, "criteria": HOSTILE,
        "tests": HOSTILE, "issues": HOSTILE,
    })).unwrap();
    texts.push(text(&output));
    let items = texts[1].lines().filter(|line| line.starts_with("- [")).count();
    assert_eq!(items, HOSTILE.len() + 3);
    assert_eq!(ticked(&texts[1]).len(), 0);
    for text in HOSTILE {
        texts.push(self::text(&make(NAME, json!({"summary": text})).unwrap()));
        let twice = json!({"commits": [text, text], "title": "T"});
        texts.push(self::text(&make(NAME, twice).unwrap()));
    }
    texts.push(text(&make(NAME, json!({"commits": ["feat!: a\n\nBREAKING CHANGE: b"]})).unwrap()));
    texts.push(text(&make(NAME, json!({"summary": "x".repeat(100_000)})).unwrap()));
    judge::markdown(&texts);
}

#[test]
fn boxes_need_evidence() {
    let of = |fields: Value| {
        let output = make(NAME, fields).unwrap();
        (ticked(&text(&output)).len(), output.open.len())
    };
    assert_eq!(of(json!({"summary": "a. B"})), (0, 1));
    assert_eq!(of(json!({"summary": "a. B", "tests": ["cargo test"]})), (0, 0));
    assert_eq!(of(json!({"summary": "a. B", "tests": [{"command": "x", "passed": true}]})), (1, 0));
    assert_eq!(of(json!({"summary": "a. B", "tests": ["x: passed (7 passed)"]})), (1, 0));
    assert_eq!(of(json!({"summary": "a. B", "tests": ["x: passed", "y: failed"]})), (0, 0));
    let mixed = json!([{"command": "x", "passed": true}, {"command": "y", "passed": false}]);
    assert_eq!(of(json!({"summary": "a. B", "tests": mixed})), (0, 0));
    // That a commit changes tests does not show that they cover the change, nor that they pass.
    assert_eq!(of(json!({"commits": ["test: a", "docs: b"]})), (0, 3));
    assert_eq!(of(json!({"commits": ["feat!: a"]})), (0, 2));
    assert_eq!(of(json!({"commits": ["feat!: a\n\nBREAKING CHANGE: b"]})), (1, 2));
    let criteria = json!(["C one", "[x] C two (seen)"]);
    assert_eq!(of(json!({"summary": "a. B", "criteria": criteria})), (1, 2));
}

#[test]
fn a_story_and_a_range_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    for message in ["chore: start", "feat: one\n\nCloses #7", "Two `x` $(id) \u{1b}[31m"] {
        git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let context = context(folder.path());
    let fields = json!({"from_story": "US-0001", "range": "HEAD~2..HEAD"});
    let output = make_in(NAME, fields, &context).unwrap();
    let text = text(&output);
    assert!(text.starts_with("# Basket survives a closed tab (US-0001)\n"), "{text}");
    assert!(
        text.contains("### Features\n\n- one (") && text.contains("- Two `x` \\$(id) \\[31m ("),
        "{text}"
    );
    assert!(text.contains("- Story US-0001\n- Closes #7\n"), "{text}");
    assert_eq!(output.data["criteria"].as_array().unwrap().len(), 2);
    judge::markdown(&[text]);
    let fault = make_in(NAME, json!({"from_story": "US-9999"}), &context).unwrap_err();
    assert!(matches!(fault, Fault::Bad { field, .. } if field == "from_story"));
}

#[test]
fn bad_input_is_named() {
    let field = |fields: Value| match make(NAME, fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({"commits": []})), "commits");
    let empty = tempfile::tempdir().unwrap();
    let bare = make_in(NAME, json!({}), &context(empty.path())).unwrap_err();
    assert!(matches!(bare, Fault::Missing { field, .. } if field == "commits"));
    assert_eq!(field(json!({"commits": [" "]})), "commits[0]");
    assert_eq!(field(json!({"commits": [{"message": "a"}]})), "commits[0]");
    assert_eq!(field(json!({"range": "-p"})), "range");
    assert_eq!(field(json!({"summary": "a\u{0}"})), "summary");
    assert_eq!(
        field(json!({"summary": "a", "tests": [{"command": "x", "passed": 1}]})),
        "tests[0].passed"
    );
    let nowhere = State::none("no project".into());
    let context = Context { state: nowhere, ..context(Path::new(".")) };
    let fault = make_in(NAME, json!({"from_story": "US-1"}), &context);
    assert!(matches!(fault, Err(Fault::Refused(_))));
}

/// The output for content and `key=value` words.
fn said(text: &str, pairs: &[(&str, &str)], folder: &Path) -> Result<Output, Fault> {
    let skill = find(NAME).unwrap();
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let request = Request {
        contents: vec![text.as_bytes().to_vec()],
        pairs: pairs.iter().map(owned).collect(),
        ..Request::default()
    };
    skill.run(&skill.place(&request)?, &context(folder))
}

#[test]
fn without_arguments_the_branch_and_its_story_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    let commit = |message: &str| git(&["commit", "-q", "--allow-empty", "-m", message]);
    git(&["checkout", "-q", "-B", "main"]);
    commit("chore: start");
    git(&["checkout", "-q", "-b", "basket"]);
    commit("feat(basket): keep it when the tab closes\n\nPart of US-0001.\n\nCloses #7");
    commit("test(basket): cover private windows\n\nTested-with: npm test: passed");
    let here = context(folder.path());
    let output = make_in(NAME, json!({}), &here).unwrap();
    let own = text(&output);
    assert!(own.starts_with("# Basket survives a closed tab (US-0001)\n"), "{own}");
    assert!(!own.contains("chore: start") && own.contains("### Features\n"), "{own}");
    assert!(own.contains("## Testing\n\n- npm test: passed\n"), "{own}");
    assert!(own.contains("## Related issues\n\n- Story US-0001\n- Closes #7\n"), "{own}");
    judge::markdown(&[own]);
    commit("feat(basket): a mistake");
    commit("Revert \"feat(basket): a mistake\"");
    commit("fixup! feat(basket): keep it when the tab closes\n\n- [ ] npm run e2e-test");
    assert_eq!(text(&make_in(NAME, json!({}), &here).unwrap()), text(&output));
    commit("fix(basket): see US-0002 too");
    let both = make_in(NAME, json!({}), &here).unwrap();
    assert!(both.open[0].starts_with("story: the commits name US-0001, US-0002"), "{both:?}");
    assert!(text(&both).starts_with("# feat(basket): keep it when the tab closes\n"), "{both:?}");
    git(&["checkout", "-q", "main"]);
    git(&["branch", "-q", "-D", "basket"]);
    git(&["checkout", "-q", "-b", "empty"]);
    let fault = make_in(NAME, json!({}), &here).unwrap_err().to_string();
    assert!(fault.contains("no commits of its own (refs/heads/main..HEAD)"), "{fault}");
}

#[test]
fn the_title_is_that_of_the_main_commit() {
    let of = |commits: &[&str]| {
        let output = make(NAME, json!({"commits": commits, "summary": null})).unwrap();
        let title = output.data["title"].as_str().unwrap().to_owned();
        (title, output.open.iter().any(|question| question.starts_with("title: ")))
    };
    for (commits, title, is_asked) in [
        (&["feat(api): add v2"][..], "feat(api): add v2", false),
        (&["feat: a map", "test: cover it", "docs: say how"], "feat: a map", false),
        (&["fix(ui): a", "feat(ui): b", "feat(ui): c", "ci: d"], "feat(ui): b", true),
        (&["feat(ui): a", "fix(api)!: b", "Tidy up"], "fix(api)!: b", true),
        (&["fix(ui): a", "feat(ui): b", "test(ui): c"], "feat(ui): b", true),
        (&["Rename the parser", "Sort the list"], "Rename the parser", true),
        (&["docs(api): a", "test(api): b"], "docs(api): a", true),
    ] {
        assert_eq!(of(commits), (title.to_owned(), is_asked), "{commits:?}");
    }
}

#[test]
fn the_body_of_the_main_commit_is_the_summary() {
    let commits = json!([
        "feat(checkout): apply a code\n\nCodes are those of campaigns.\n\nTested-with: npm test\nFixes #4",
        "fix(checkout)!: round to cents\n\nThe sum differed.\n\nBREAKING CHANGE: totals change",
        "docs: say how",
        "chore: tidy",
    ]);
    let own = text(&make(NAME, json!({"commits": &commits.as_array().unwrap()[..1]})).unwrap());
    let summary = "## Summary\n\nCodes are those of campaigns.\n\n## Testing\n\n- npm test\n";
    assert!(own.contains(summary) && own.contains("- Fixes #4\n"), "{own}");
    let output = make(NAME, json!({"commits": commits, "title": "Codes"})).unwrap();
    let own = text(&output);
    assert!(own.starts_with("# Codes\n\n## Summary\n\nThe sum differed.\n"), "{own}");
    for part in [
        "### Features\n\n- **checkout:** apply a code\n",
        "### Fixes\n\n- **Breaking (checkout):** round to cents: totals change\n",
        "### Documentation\n\n- say how\n",
        "### Other changes\n\n- chore: tidy\n",
    ] {
        assert!(own.contains(part), "{part}: {own}");
    }
    assert!(!output.open.iter().any(|question| question.starts_with("summary: ")), "{output:?}");
    judge::markdown(&[own]);
}

#[test]
fn what_text_names_is_used() {
    let here = Path::new(".");
    let output = said(
        "Readers can search by author.\n\nThe index is built at night, see team/index#3.\nCloses: #42\n",
        &[("issues", "Refs #9"), ("tests", "npm test")],
        here,
    )
    .unwrap();
    assert_eq!(
        text(&output),
        "# Readers can search by author\n\n## Summary\n\nThe index is built at night, see team/index#3.\n\n\
         ## Testing\n\n- npm test\n\n## Checklist\n\n- [ ] All tests pass\n\
         - [ ] Tests cover the change\n- [ ] The documentation is up to date\n\n\
         ## Related issues\n\n- Refs #9\n- Closes #42\n"
    );
    assert!(output.open.is_empty(), "{:?}", output.open);
    let labelled = said(
        "# Faster search\n\n## Why\n\nIt took 3 s.\n\n## Testing\n\n- npm test: passed\n\n## Related issues\n\n- Closes #1\n",
        &[],
        here,
    )
    .unwrap();
    assert_eq!(labelled.data["title"], "Faster search");
    assert_eq!(labelled.data["summary"], "It took 3 s.");
    assert_eq!(
        labelled.data["tests"][0],
        json!({"command": "npm test", "passed": true, "result": null})
    );
    assert_eq!(labelled.data["issues"], json!(["Closes #1"]));
    let piped =
        said("1a2b3c4 feat: a\n2b3c4d5 test: b\n", &[("tests", "npm test passes")], here).unwrap();
    assert_eq!(piped.data["title"], "feat: a");
    assert_eq!(piped.data["tests"][0]["passed"], true);
    let log = make(NAME, json!({"commits": "1a2b3c4 feat: a\n2b3c4d5 Tidy up"})).unwrap();
    assert!(
        text(&log).contains("### Features\n\n- a (1a2b3c4)\n")
            && text(&log).contains("- Tidy up (2b3c4d5)\n")
    );
}

#[test]
fn boxes_have_what_shows_them_and_a_description_is_not_read_back() {
    let fields = json!({
        "title": "Search", "summary": "Readers look for books by author.",
        "commits": "feat(api): search by author\nfix: crash on an empty list\ntest: search",
        "tests": ["npm test: passed (212 passed)"], "issues": ["Closes #4"],
        "criteria": ["[x] An author's books are listed (tests/search.rs)", "Titles too"],
        "checklist": ["[x] The change is announced (#12)", "The flag is on"],
    });
    let first = make(NAME, fields).unwrap().artifacts[0].text.clone();
    assert!(first.contains(
        "## Acceptance criteria\n\n- [x] An author's books are listed (tests/search.rs)\n- [ ] Titles too\n"
    ));
    assert!(
        first.contains("- [x] The change is announced (#12)\n- [ ] The flag is on\n"),
        "{first}"
    );
    let fault = said(&first, &[], Path::new(".")).unwrap_err().to_string();
    assert!(fault.contains("complete it by hand"), "{fault}");
}

#[test]
fn a_ticked_box_is_a_test_that_passed() {
    let form = "# Sort the list\n\n## Summary\n\nThe list was unsorted.\n\n- [x] I added tests\n\n\
        ## How has this been tested?\n\n- [x] npm test\n- [ ] npm run e2e\n";
    let output = said(form, &[], Path::new(".")).unwrap();
    let tests = text(&output);
    let expected = "- npm test: passed\n- npm run e2e\n";
    assert!(tests.contains(expected) && tests.contains("- [x] I added tests\n"), "{tests}");
    assert!(!ticked(&tests).iter().any(|line| line.contains("All tests pass")), "{tests}");
}

#[test]
fn a_summary_that_became_the_title_is_not_asked_for() {
    let fields = json!({"summary": "Readers look for books.", "commits": "feat: a\nfix: b"});
    let output = make(NAME, fields).unwrap();
    assert!(
        output.open.iter().all(|question| !question.starts_with("summary")),
        "{:?}",
        output.open
    );
}

#[test]
fn a_bare_number_of_an_issue_stays_a_link() {
    let fields =
        json!({"commits": ["fix(api): answer 404\n\nFixes the form.\n#88"], "issues": ["# 9"]});
    let text = make(NAME, fields).unwrap().artifacts[0].text.clone();
    assert!(text.contains("- #88\n") && text.contains("- \\# 9\n"), "{text}");
}
