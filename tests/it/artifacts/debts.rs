//! `tech-debt-register`: scores, order, places and comments are checked independently.

use std::fs;
use std::process::Command;

use flow::skill::output::Output;
use flow::skill::project_state::Context;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::boards::{self, column, project};
use super::golden::example_output;
use super::judge::markdown;
use super::making::{HOSTILE, make, make_in};

const SKILL: &str = "tech-debt-register";

/// A folder with some files, in a project.
fn folder(status: &Value) -> (tempfile::TempDir, Context) {
    let folder = tempfile::tempdir().unwrap();
    let context = project(folder.path(), status);
    fs::create_dir_all(folder.path().join("src/deep")).unwrap();
    fs::write(folder.path().join("src/pay.rs"), "one\ntwo\nthree").unwrap();
    fs::write(folder.path().join("src/deep/x.rs"), "one\n").unwrap();
    (folder, context)
}

fn refused(fields: &Value, context: &Context) -> String {
    let fault = make_in(SKILL, fields.clone(), context).err();
    fault.unwrap_or_else(|| panic!("{fields} was taken")).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn scores_and_order_are_those_of_the_figures(all in proptest::collection::vec((1..6_u64, 1..6_u64, 0..6_u64), 0..12)) {
        let item = |(at, (impact, urgency, effort)): (usize, &(u64, u64, u64))| {
            let mut item = json!({"title": format!("Item {at}"), "place": ".", "impact": impact, "urgency": urgency});
            if *effort > 0 {
                item["effort"] = json!(effort);
            }
            item
        };
        let items: Vec<Value> = all.iter().enumerate().map(item).collect();
        let output = make(SKILL, json!({"items": items})).unwrap();
        let number = |title: &String| title.rsplit(' ').next().unwrap().parse::<usize>().unwrap();
        let order: Vec<usize> = column(&output.data["scored"], "title").iter().map(number).collect();
        // Compared with every other pair, in integers: a / b > c / d if a d > c b.
        for (place, one) in order.iter().enumerate() {
            for other in &order[place + 1..] {
                let ((i, u, e), (j, v, f)) = (all[*one], all[*other]);
                let (left, right) = (i * u * f, j * v * e);
                prop_assert!(left > right || (left == right && one < other), "{:?}", order);
            }
        }
        let rest: Vec<usize> = column(&output.data["unscored"], "title").iter().map(number).collect();
        let bare: Vec<usize> = (0..all.len()).filter(|at| all[*at].2 == 0).collect();
        prop_assert_eq!(order.len() + rest.len(), all.len());
        prop_assert_eq!(rest, bare);
        for row in output.data["scored"]["rows"].as_array().unwrap() {
            let figure = |name: &str| row[name].as_f64().unwrap();
            let score = figure("impact") * figure("urgency") / figure("effort");
            prop_assert!((figure("score") - score).abs() <= 0.005, "{}", row);
        }
    }
}

#[test]
fn places_and_stories_must_be_there_and_inside() {
    let (folder, here) = folder(&json!({"stories": {"US-0001": {"status": "ready"}}}));
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.rs"), "// TODO tell nobody\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("src/out")).unwrap();
    nix::unistd::mkfifo(&folder.path().join("src/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let away = outside.path().join("secret.rs").display().to_string();
    for place in [
        "src/none.rs",
        "src/pay.rs:4",
        "src/pay.rs:0",
        "src/deep/x.rs:2",
        "src:1",
        "../x.rs",
        "src/../../src/pay.rs",
        "src/out/secret.rs",
        "src/out",
        "src/pipe",
        "src/pay.rs:99999999999999999999",
        away.as_str(),
        "a\0b/c.rs",
    ] {
        let said = refused(&json!({"items": [{"title": "t", "place": place}]}), &here);
        assert!(said.contains("\"items[0].place\""), "{place}: {said}");
        assert!(!said.contains("tell nobody"));
        let path = place.split(':').next().unwrap();
        let said = refused(
            &json!({"scan": [if path == "src" || path == "src/pay.rs" || path == "src/deep/x.rs" { "src/none" } else { path }]}),
            &here,
        );
        assert!(said.contains("\"scan[0]\""), "{place}: {said}");
    }
    for line in [
        format!("{away} y"),
        "../x y".into(),
        "src/out/secret.rs y".into(),
        "src/pay.rs:9 y".into(),
    ] {
        assert!(refused(&json!({"items": line}), &here).contains("line 1.place"), "{line}");
    }
    for place in ["src/pay.rs:3", "src/deep/x.rs:1", "./src", "."] {
        let data =
            make_in(SKILL, json!({"items": [{"title": "t", "place": place}]}), &here).unwrap().data;
        assert_eq!(data["unscored"]["rows"][0]["place"], place);
    }
    let story = |id: &str| json!({"items": [{"title": "t", "story": id}]});
    assert!(make_in(SKILL, story("US-0001"), &here).is_ok());
    assert!(refused(&story("US-0002"), &here).contains("\"items[0].story\""));
    let git = Command::new("git").arg("init").arg("-q").arg(folder.path()).status();
    assert!(git.unwrap().success());
    let everything = make_in(SKILL, json!({"scan": ["."]}), &here).unwrap();
    assert_eq!(everything.data["comments"]["count"], 0, "a link is not followed");
}

#[test]
fn comments_are_those_that_a_plain_search_finds() {
    let (folder, here) = folder(&json!({}));
    let lines = [
        ("// TODO: one | two", Some("TODO")),
        ("  # FIXME(team) later", Some("FIXME")),
        ("/* HACK */", Some("HACK")),
        (" * XXX what", Some("XXX")),
        ("<!-- TODO a page -->", Some("TODO")),
        ("let s = \"TODO\";", None),
        ("// TODOS are no TODO", None),
        ("// see the TODO list", None),
        ("", None),
        ("-- TODO `x` *y*", Some("TODO")),
    ];
    let text: Vec<&str> = lines.iter().map(|(line, _)| *line).collect();
    let files = ["src/a.rs", "src/b.rs", "node_modules/c.js", "target/d.rs", "gone/e.rs"];
    for file in files {
        fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        fs::write(folder.path().join(file), text.join("\n")).unwrap();
    }
    fs::write(folder.path().join("src/z.bin"), b"// TODO \xff").unwrap();
    fs::write(folder.path().join("src/big.rs"), "// TODO\n".repeat(200_000)).unwrap();
    fs::write(folder.path().join(".gitignore"), "gone\n").unwrap();
    let scan =
        |paths: &[&str]| -> Output { make_in(SKILL, json!({"scan": paths}), &here).unwrap() };
    let expected = |file: &str| -> Vec<String> {
        let marked = lines.iter().enumerate().filter_map(|(at, (_, mark))| Some((at, (*mark)?)));
        marked.map(|(at, mark)| format!("{file}:{} {mark}", at + 1)).collect()
    };
    let found = |output: &Output| -> Vec<String> {
        let rows = output.data["comments"]["rows"].as_array().unwrap();
        rows.iter()
            .map(|row| {
                format!("{} {}", row["place"].as_str().unwrap(), row["mark"].as_str().unwrap())
            })
            .collect()
    };
    let both = [expected("src/a.rs"), expected("src/b.rs")].concat();
    let outside = refused(&json!({"scan": ["."]}), &here);
    assert!(outside.contains("git"), "{outside}");
    assert!(
        Command::new("git").arg("init").arg("-q").arg(folder.path()).status().unwrap().success()
    );
    let output = scan(&[".", "src", "src/a.rs"]);
    assert_eq!(found(&output), both);
    assert_eq!(found(&scan(&["src/b.rs"])), expected("src/b.rs"));
    for why in ["1 file over 1048576 bytes", "1 file without text"] {
        assert!(output.notes.iter().any(|note| note.contains(why)), "{:?}", output.notes);
    }
    markdown(&[output.artifacts[0].text.clone()]);
}

#[test]
fn a_tracked_folder_that_became_a_link_is_not_followed() {
    let (folder, here) = folder(&json!({}));
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x.rs"), "// TODO tell nobody\n").unwrap();
    for arguments in [&["init", "-q"][..], &["add", "src"]] {
        let git = Command::new("git").arg("-C").arg(folder.path()).args(arguments).status();
        assert!(git.unwrap().success());
    }
    fs::remove_dir_all(folder.path().join("src/deep")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("src/deep")).unwrap();
    let output = make_in(SKILL, json!({"scan": ["src"]}), &here).unwrap();
    assert_eq!(
        (&output.data["comments"]["count"], &output.data["scanned"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn hostile_and_many_items_give_clean_markdown() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    let (_folder, here) = folder(&boards::hostile());
    let items: Vec<Value> = HOSTILE
        .iter()
        .flat_map(|text| {
            [
                json!({"title": text, "impact": 1, "urgency": 1, "effort": 3}),
                json!({"title": format!("{text}\n{text}")}),
            ]
        })
        .collect();
    let many = vec![json!({"title": "t", "place": "src/pay.rs:1"}); 1_000];
    for items in [items, many] {
        let output = make_in(SKILL, json!({"items": items}), &here).unwrap();
        assert!(output.artifacts[0].text.len() < 200_000);
        texts.push(output.artifacts[0].text.clone());
    }
    assert!(texts[2].contains("800 more are not listed"));
    markdown(&texts);
}
