//! Which modules of a crate name each other: no circle, so that each can be read after those that it uses.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{ROOTS, product, sources};

type Module = Vec<String>;
pub(super) type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The path of a file's module below `src`; separate programs have none.
fn path_of(file: &str) -> Option<Module> {
    let mut parts: Module = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    match parts.last()?.as_str() {
        "main" => return None,
        "mod" | "lib" => _ = parts.pop(),
        _ => {}
    }
    Some(parts)
}

/// Whether a module is above another in the folder of one skill: the files of a skill use what its `mod.rs` declares.
fn is_within_skill(above: &Module, module: &Module) -> bool {
    let is_skill = above.len() > 1 && above.first().is_some_and(|first| first == "generator");
    is_skill && module.starts_with(above)
}

/// The code of a file without comments, and with `super` of inline modules as `self`.
fn code(text: &str) -> String {
    let mut is_inline = false;
    let mut code = String::new();
    for line in product(text).lines() {
        let line = line.split("//").next().unwrap_or_default();
        is_inline = match line {
            "}" => false,
            _ => {
                is_inline || line.contains("mod ") && line.ends_with('{') && !line.starts_with(' ')
            }
        };
        code.push_str(&if is_inline { line.replace("super::", "self::") } else { line.to_owned() });
        code.push('\n');
    }
    code
}

/// Adds the paths of a use tree or of an expression behind `prefix`, and gives what follows.
fn paths<'a>(text: &'a str, prefix: &[String], found: &mut Vec<Module>) -> &'a str {
    if let Some(group) = text.strip_prefix('{') {
        let mut rest = group.trim_start();
        while !rest.is_empty() && !rest.starts_with('}') {
            rest = paths(rest, prefix, found);
            rest = rest.trim_start_matches(|c| c != ',' && c != '}');
            rest = rest.trim_start_matches([',', ' ', '\n']);
        }
        return rest.strip_prefix('}').unwrap_or(rest);
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let path = [prefix, &[word.to_owned()]].concat();
    if let Some(rest) = rest.strip_prefix("::") {
        return paths(rest, &path, found);
    }
    found.push(path);
    rest
}

/// The paths that code names and that begin with one of these words.
fn named(code: &str, first: &[&str]) -> Vec<Module> {
    let mut found = Vec::new();
    for word in first {
        for (at, _) in code.match_indices(&format!("{word}::")) {
            let before = &code[..at];
            let is_part = before.ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
            if !is_part && !before.ends_with("(in ") {
                paths(&code[at..], &[], &mut found);
            }
        }
    }
    found
}

/// The module that a path in the module `from` leads to: the longest part of it that is one.
fn target(from: &Module, path: &[String], modules: &BTreeSet<Module>) -> Module {
    let mut at = from.clone();
    let mut rest = path;
    while let Some((word, after)) = rest.split_first() {
        match word.as_str() {
            "crate" => at.clear(),
            "super" => _ = at.pop(),
            "self" => {}
            _ => {
                let next = [at.as_slice(), std::slice::from_ref(word)].concat();
                if !modules.contains(&next) {
                    break;
                }
                at = next;
            }
        }
        rest = after;
    }
    at
}

/// What each module of a crate names. `files` are paths below `src`, and texts.
fn graph<'a>(files: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Graph {
    let all: BTreeSet<Module> = files.clone().filter_map(|(file, _)| path_of(file)).collect();
    let mut graph = Graph::new();
    for (file, text) in files {
        let Some(module) = path_of(file) else { continue };
        let children = all
            .iter()
            .filter(|other| other.len() == module.len() + 1 && other.starts_with(&module));
        let mut first = vec!["crate", "super", "self"];
        first.extend(children.filter_map(|child| child.last()).map(String::as_str));
        let edges = graph.entry(module.clone()).or_default();
        for path in named(&code(text), &first) {
            let other = target(&module, &path, &all);
            if other != module && all.contains(&other) && !is_within_skill(&other, &module) {
                edges.insert(other);
            }
        }
    }
    graph
}

/// The shortest circle through a module.
fn circle(graph: &Graph, start: &Module) -> Option<Vec<Module>> {
    let mut before: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in graph.get(at)? {
            if next == start {
                let mut path = vec![start.clone(), at.clone()];
                let mut last = at;
                while let Some(earlier) = before.get(last).filter(|_| last != start) {
                    path.push((*earlier).clone());
                    last = earlier;
                }
                path.reverse();
                return Some(path);
            }
            if !before.contains_key(next) {
                before.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    None
}

/// The graph of the crate in a folder.
pub(super) fn graph_of(root: &str) -> Graph {
    let folder = if root == "src" { "src/".to_owned() } else { format!("{root}/src/") };
    let sources = sources(root);
    let files = sources.iter().filter_map(|source| {
        Some((source.name.strip_prefix(folder.as_str())?, source.text.as_str()))
    });
    graph(files)
}

/// A module's path as Rust writes it.
pub(super) fn shown(module: &[String]) -> String {
    if module.is_empty() { "crate".to_owned() } else { module.join("::") }
}

fn shown_circle(circle: &[Module]) -> String {
    circle.iter().map(|module| shown(module)).collect::<Vec<_>>().join(" -> ")
}

#[test]
fn no_modules_name_each_other_in_a_circle() {
    let mut found = BTreeSet::new();
    let mut modules = 0;
    for root in ROOTS {
        let graph = graph_of(root);
        modules += graph.len();
        let circles = graph.keys().filter_map(|module| circle(&graph, module));
        found.extend(circles.map(|circle| format!("{root}: {}", shown_circle(&circle))));
    }
    assert!(modules > 150, "only {modules} modules were found");
    assert!(found.is_empty(), "{}", found.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn circles_are_found_in_each_form_of_a_path() {
    let check = |files: &[(&str, &str)], expect: &[&str]| {
        let graph = graph(files.iter().copied());
        let circles: BTreeSet<String> = graph
            .keys()
            .filter_map(|module| circle(&graph, module))
            .map(|c| shown_circle(&c))
            .collect();
        assert_eq!(circles.into_iter().collect::<Vec<_>>(), expect, "{files:?}");
    };
    check(&[("a.rs", "use crate::b::X;"), ("b.rs", "use super::c::Y;"), ("c.rs", "")], &[]);
    let both = ["a -> b -> a", "b -> a -> b"];
    check(&[("a.rs", "use crate::b::X;"), ("b.rs", "fn f() { crate::a::g() }")], &both);
    check(&[("a.rs", "use crate::{c, b::{X, Y as Z}};"), ("b.rs", "use super::a;")], &both);
    check(&[("a.rs", "// crate::b::X"), ("b.rs", "use super::a;")], &[]);
    let parent = ["a -> a::b -> a", "a::b -> a -> a::b"];
    check(&[("a/mod.rs", "mod b;\nuse b::X;"), ("a/b.rs", "use super::Y;")], &parent);
    check(&[("a/mod.rs", "mod b;"), ("a/b.rs", "use super::Y;")], &[]);
    check(&[("a.rs", "mod linux {\n    use super::b;\n}"), ("b.rs", "use crate::a::X;")], &[]);
    check(&[("a.rs", "pub(in crate::b) struct X;"), ("b.rs", "use crate::a::X;")], &[]);
    let skills =
        [("generator/x/mod.rs", "mod b;\nuse b::X;"), ("generator/x/b.rs", "use super::Y;")];
    check(&skills, &[]);
    let files = [("generator/x/a.rs", "use super::b;"), ("generator/x/b.rs", "use super::a::Y;")];
    let siblings = ["generator::x::a -> generator::x::b -> generator::x::a"];
    check(&files, &[siblings[0], "generator::x::b -> generator::x::a -> generator::x::b"]);
}
