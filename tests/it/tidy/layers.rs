//! The order of the modules within a crate, and of the crates: what may name what.

use super::modules::{Graph, graph_of, shown};
use crate::tools::text;

/// A crate's modules in their order. Each may name only itself and those before it.
const LAYERS: [(&str, &[&str]); 2] = [
    (
        "crates/flow-daemon",
        &[
            "error", "project", "folder", "routes", "store", "history", "derived", "web",
            "control", "daemon",
        ],
    ),
    (
        "crates/flow-skills",
        &[
            "output",
            "stack",
            "text",
            "reach",
            "page",
            "notation",
            "input",
            "data",
            "codegen",
            "story",
            "project_state",
            "runtime",
            "generator",
        ],
    ),
];
/// Layers that must not name each other, though one is after the other.
const SEPARATE: (&str, &str) = ("control", "web");
/// The crates of the workspace that each of them depends on. A change in a skill must not compile the daemon again.
const CRATES: [(&str, &[&str]); 6] = [
    ("crates/flow-files", &[]),
    ("crates/flow-model", &[]),
    ("crates/flow-plans", &["flow-model"]),
    ("crates/flow-daemon", &["flow-files", "flow-model", "flow-plans"]),
    ("crates/flow-skills", &["flow-files", "flow-model"]),
    (".", &["flow-daemon", "flow-model", "flow-plans", "flow-skills"]),
];

/// The names in a graph that are against the order of the layers.
fn violations(graph: &Graph, layers: &[&str]) -> Vec<String> {
    let index = |name: &str| layers.iter().position(|layer| *layer == name);
    let mut found = Vec::new();
    for (from, names) in graph {
        // The crate's root declares the modules.
        let Some(layer) = from.first() else { continue };
        let Some(place) = index(layer) else {
            found.push(format!("{} is in no layer", shown(from)));
            continue;
        };
        let is_wrong = |to: &&Vec<String>| {
            let Some(other) = to.first() else { return false };
            index(other).is_none_or(|other| other > place)
                || (layer.as_str(), other.as_str()) == SEPARATE
        };
        found.extend(
            names.iter().filter(is_wrong).map(|to| format!("{} names {}", shown(from), shown(to))),
        );
    }
    found
}

#[test]
fn no_layer_names_a_later_one() {
    for (root, layers) in LAYERS {
        let graph = graph_of(root);
        assert!(graph.len() > 50, "{root}: only {} modules were found", graph.len());
        let found = violations(&graph, layers);
        assert!(found.is_empty(), "{root}:\n{}", found.join("\n"));
    }
}

#[test]
fn the_check_of_layers_can_fail() {
    let check = |from: &str, to: &str, expect: &[&str]| {
        let module = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        let graph = Graph::from([(module(from), [module(to)].into())]);
        assert_eq!(violations(&graph, LAYERS[0].1), expect, "{from} -> {to}");
    };
    check("store::poller", "web::app", &["store::poller names web::app"]);
    check("control", "web", &["control names web"]);
    check("extra", "store", &["extra is in no layer"]);
    check("store", "extra", &["store names extra"]);
    check("web", "store::snapshot", &[]);
    check("web::app", "web::reply", &[]);
}

#[test]
fn each_crate_depends_on_no_other_than_its_own() {
    for (folder, expect) in CRATES {
        let text = text(&format!("{folder}/Cargo.toml"));
        let (_, rest) = text.split_once("\n[dependencies]\n").unwrap_or_default();
        let section = rest.split("\n[").next().unwrap_or_default();
        let names = section.lines().filter_map(|line| line.split([' ', '.', '=']).next());
        let used: Vec<&str> = names.filter(|name| name.starts_with("flow-")).collect();
        assert_eq!(used, expect, "{folder}");
    }
}
