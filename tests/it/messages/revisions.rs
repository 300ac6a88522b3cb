//! Messages of `flow diff`, `flow history` and `flow api get --at`.

use super::scene::Scene;
use super::{Case, case};

const STATUS: &str = "docs/09-agents/status.json";
/// A story with two criteria.
const PROMISED: &[(&str, &str)] = &[(
    STATUS,
    r#"{"stories": {"US-1": {"title": "Sign in", "status": "ready", "acceptance_criteria": ["Answer 400 to a bad signature", "Lock an account after 5 errors"]}}}"#,
)];
const LESS: &str = r#"{"stories": {"US-1": {"title": "Sign in", "status": "ready", "acceptance_criteria": ["Answer 400 to a bad signature"]}}}"#;

pub(super) const CASES: &[Case] = &[
    case("A plan that promises less than its last commit", "flow diff --exit-code", 1)
        .files(PROMISED)
        .with(|scene| {
            commit(scene);
            scene.project.write(STATUS, LESS);
        }),
    case("A file that cannot be read any more", "flow diff --exit-code", 2).files(PROMISED).with(
        |scene| {
            commit(scene);
            scene.project.write(STATUS, "{\"stories\": {");
        },
    ),
    case("A file that git does not track", "flow diff", 0).files(PROMISED).with(|scene| {
        scene.shell(&format!("git init -q && {AS} commit -q --allow-empty -m x"));
    }),
    case("A repository without a commit", "flow diff", 2)
        .files(PROMISED)
        .with(|scene| scene.shell("git init -q")),
    case("Two forms of the output", "flow diff --markdown --json", 2).files(PROMISED),
    case("A folder in no repository", "flow diff", 2).files(PROMISED),
    case("A word that is neither a commit nor a time", "flow diff mian", 2).files(PROMISED).with(commit),
    case("A time before the first commit", "flow diff @2001-01-01", 2).files(PROMISED).with(commit),
    case("A shallow clone without the common commit", "cd ../clone && flow diff main", 2)
        .files(PROMISED)
        .with(|scene| {
            commit(scene);
            scene.shell(&format!(
                "git branch -m side && {AS} commit -q --allow-empty -m y && git checkout -q -b main HEAD~1 && \
                 {AS} commit -q --allow-empty -m z && git clone -q --depth 1 --no-single-branch -b side file://$PWD ../clone && \
                 cd ../clone && git branch -q main origin/main"
            ));
        }),
    case("A commit that a shallow clone lacks", "cd ../clone && flow diff HEAD~1", 2)
        .files(PROMISED)
        .with(|scene| {
            commit(scene);
            scene.shell(&format!(
                "{AS} commit -q --allow-empty -m y && git clone -q --depth 1 file://$PWD ../clone"
            ));
        }),
    case("A history of which nothing is known", "flow history", 0).files(PROMISED),
    case("The same in a repository", "flow history", 0).files(PROMISED).with(commit),
    case("The past from git", "flow history import", 0).files(PROMISED).with(commit),
    case("The known changes", "flow history import > /dev/null; flow history", 0)
        .files(PROMISED)
        .with(commit),
    case("A history from git without a commit", "flow history import", 2)
        .files(PROMISED)
        .with(|scene| scene.shell("git init -q")),
    case("A time of a history that is none", "flow history --since soon", 2).files(PROMISED),
    case("A history that the user does not want", "flow history", 1)
        .files(PROMISED)
        .with(|scene| scene.shell("mkdir -p \"$XDG_CONFIG_HOME/flow\" && echo '{\"history\": false}' > \"$XDG_CONFIG_HOME/flow/config.json\"")),
    case("`get --at` of what is not in the files", "flow api get activity --at HEAD", 1)
        .files(PROMISED)
        .with(commit),
];

/// Commits always have the same ids.
const AS: &str = "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z git -c user.name=x \
                  -c user.email=x@localhost -c commit.gpgsign=false";

fn commit(scene: &mut Scene) {
    scene.shell(&format!("git init -q -b main && git add . && {AS} commit -q -m x"));
}
