//! The JSON Schema Test Suite, run with the code that `validation-schema-generator` writes. `tests/judges/peers`
//! counts other generators on the same groups. `validation.rs` tests what the suite does not cover.

#![expect(clippy::print_stdout, reason = "figures are said, in the test's own output")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::execute::{Module, execute};
use super::judge;
use super::making::make;

/// Each library, with what it needs to be judged.
const LIBRARIES: [(&str, &str); 4] = [
    ("zod", "node_modules/zod"),
    ("joi", "node_modules/joi"),
    ("yup", "node_modules/yup"),
    ("pydantic", "venv/bin/python"),
];

/// The keywords that name a schema for references; the basis excludes groups that have one.
const NAMING: [&str; 3] = ["\"$id\"", "\"$anchor\"", "\"$dynamicRef\""];

/// The libraries that can be tested here.
pub(super) fn libraries() -> impl Iterator<Item = &'static str> {
    let judged = LIBRARIES.into_iter().filter(|(_, needed)| judge::find(needed).is_some());
    judged.map(|(library, _)| library)
}

/// A group of the suite: one schema, and values with the verdict that each must get.
struct Group {
    title: String,
    /// Whether it is of the basis: in a file that `basis.txt` names, and without [`NAMING`].
    is_basic: bool,
    schema: Value,
    cases: Vec<(String, bool)>,
}

/// The results of a library.
#[derive(Debug, Default, PartialEq)]
struct Count {
    cases: usize,
    right: usize,
    groups: usize,
    whole: usize,
    /// The groups whose schema was refused: all of their cases are misses.
    refused: BTreeSet<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/suite")
}

fn read(file: &Path) -> Vec<Group> {
    let groups: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let name = file.file_stem().unwrap().to_str().unwrap();
    let basis = fs::read_to_string(folder().join("basis.txt")).unwrap();
    let is_named = basis.lines().any(|line| line == name);
    let names = |schema: &Value| {
        let text = schema.to_string();
        NAMING.iter().any(|word| text.contains(word))
    };
    let group = |group: Value| Group {
        title: format!("{name}: {}", group["description"].as_str().unwrap()),
        is_basic: is_named && !names(&group["schema"]),
        schema: group["schema"].clone(),
        cases: (group["tests"].as_array().unwrap().iter())
            .map(|case| (case["data"].to_string(), case["valid"].as_bool().unwrap()))
            .collect(),
    };
    groups.into_iter().map(group).collect()
}

/// Every group of every file in the folder.
fn everything() -> Vec<Group> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect();
    files.iter().flat_map(|file| read(file)).collect()
}

fn written(group: &Group, library: &'static str, exact: bool) -> Option<Module> {
    let fields = json!({ "schema": group.schema, "library": library, "formats": "annotate", "exact": exact });
    let output = make("validation-schema-generator", &fields)
        .inspect_err(|fault| println!("{library} refuses {}: {fault}", group.title))
        .ok()?;
    Some(Module {
        library,
        text: output.artifacts[0].text.clone(),
        name: "Root".into(),
        values: group.cases.iter().map(|(value, _)| value.clone()).collect(),
    })
}

/// What a library answers on a group: its module, and the verdicts. Nothing where the schema is refused.
type Answer = Option<(Module, Vec<Value>)>;

/// The answers of each library on each group.
fn answers(groups: &[Group], exact: bool) -> Vec<(&'static str, Vec<Answer>)> {
    let written = |library| groups.iter().map(move |group| written(group, library, exact));
    let written: Vec<_> =
        libraries().map(|library| (library, written(library).collect())).collect();
    let modules: Vec<&Module> = written
        .iter()
        .flat_map(|(_, own): &(_, Vec<Option<Module>>)| own.iter().flatten())
        .collect();
    let modules: Vec<Module> = modules.into_iter().cloned().collect();
    let mut found = execute(&modules).into_iter();
    let mut answer = |module: Option<Module>| module.map(|module| (module, found.next().unwrap()));
    let mut all = Vec::new();
    for (library, own) in written {
        all.push((library, own.into_iter().map(&mut answer).collect()));
    }
    all
}

/// Counts the cases that are right, a refusal being a miss of all of its cases, and prints the misses.
fn count<'a>(library: &str, answers: impl Iterator<Item = (&'a Group, &'a Answer)>) -> Count {
    let mut count = Count::default();
    for (group, answer) in answers {
        count.groups += 1;
        count.cases += group.cases.len();
        let Some((module, found)) = answer else {
            count.refused.insert(group.title.clone());
            continue;
        };
        let right = right(group, module, found);
        count.right += right;
        count.whole += usize::from(right == group.cases.len());
    }
    println!(
        "{library}: {} of {} cases, {} of {} groups whole",
        count.right, count.cases, count.whole, count.groups
    );
    count
}

fn right(group: &Group, module: &Module, found: &[Value]) -> usize {
    assert_eq!(found.len(), group.cases.len(), "a verdict for each case");
    let is_missed =
        |((_, expected), found): &(&(String, bool), &Value)| found.as_bool() != Some(*expected);
    let mut missed = 0;
    for ((value, expected), found) in group.cases.iter().zip(found).filter(is_missed) {
        missed += 1;
        println!("{} {}: {value} -> {found}, expected {expected}", module.library, group.title);
    }
    if missed > 0 {
        println!("{}", module.text);
    }
    found.len() - missed
}

#[test]
fn the_basis_gets_its_verdicts_and_what_every_file_asks_is_right_or_refused() {
    let groups = everything();
    for (library, answers) in answers(&groups, true) {
        let all = || groups.iter().zip(&answers);
        // One group refers to the meta-schema, which is another document.
        let refused = BTreeSet::from(["ref: remote ref, containing refs itself".to_owned()]);
        let basis = Count { cases: 742, right: 740, groups: 189, whole: 188, refused };
        assert_eq!(count(library, all().filter(|(group, _)| group.is_basic)), basis, "{library}");
        let count = count(library, all());
        assert_eq!((count.cases, count.groups), (1257, 368), "{library}");
        assert_eq!(count.whole + count.refused.len(), count.groups, "{library}");
        assert_eq!((count.right, count.whole), (1185, 336), "{library}");
    }
}

#[test]
fn idiomatic_output_agrees_with_nine_of_ten_cases() {
    let mut groups = everything();
    groups.retain(|group| group.is_basic);
    // For each case, which of the libraries were right.
    let mut verdicts: Vec<Vec<bool>> = Vec::new();
    for (library, answers) in answers(&groups, false) {
        let mut own = Vec::new();
        for (group, answer) in groups.iter().zip(&answers) {
            let found = answer.as_ref().map(|(_, found)| found);
            for (at, (value, expected)) in group.cases.iter().enumerate() {
                let said = found.and_then(|found| found[at].as_bool());
                if said != Some(*expected) {
                    println!(
                        "{library} {}: {value} -> {:?}",
                        group.title,
                        found.map(|found| &found[at])
                    );
                }
                own.push(said == Some(*expected));
            }
        }
        let right = own.iter().filter(|right| **right).count();
        println!("{library}: {right} of {}", own.len());
        assert!(right * 10 >= own.len() * 9, "{library}: {right} of {}", own.len());
        verdicts.push(own);
    }
    let alike = |at: &usize| verdicts.iter().all(|own| own[*at] == verdicts[0][*at]);
    let total = verdicts.first().map_or(0, Vec::len);
    let same = (0..total).filter(alike).count();
    println!("one verdict of all: {same} of {total}");
}
