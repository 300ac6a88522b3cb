//! Checks that the page covers every message of the sources: the first text of each error constructor is on the page, or
//! named below with the reason.

use std::fs;
use std::path::{Path, PathBuf};

/// Where errors are worded.
const FOLDERS: [&str; 8] = [
    "src/explain",
    "src/cli",
    "src/git",
    "crates/flow-daemon/src/control",
    "crates/flow-daemon/src/daemon",
    "crates/flow-daemon/src/project",
    "crates/flow-skills/src/input",
    "crates/flow-skills/src/runtime",
];
/// The constructors of errors.
const CONSTRUCTORS: [&str; 11] = [
    "Error::Usage(",
    "Error::Refused(",
    "Error::path(",
    "Error::io(",
    "Fault::Refused(",
    "Fault::Unreadable(",
    "#[error(",
    "Misfit::new(",
    "must_be(",
    "Err(format!(",
    "refused(",
];
/// Largest distance of a text from its constructor, in bytes.
const REACH: usize = 260;
/// Length of the shortest piece that identifies a text, in bytes.
const SHORTEST: usize = 8;

/// A part of each text that is not on the page, and the reason.
const ELSEWHERE: [(&str, &str); 69] = [
    ("the script of the demo", "demo: a part of the program that is tested"),
    ("is full of folders of demos", "demo: a hundred folders of one process that has its id again"),
    ("start the writer of the demo", "demo: the system gives no thread"),
    ("the demo is not served as it is", "demo: --once found a fault of the program"),
    ("the demo's server has ended", "demo: stopped by another command in its first moment"),
    ("read the keys of the terminal", "the system refused"),
    ("change the terminal", "the system refused"),
    ("true or false", "a setting of another kind than it must be, as of the others"),
    ("there is no home folder", "the log: a user without a home folder"),
    (
        "nobody listens on the control socket",
        "the reason given for a server that is not responding",
    ),
    ("the server is not responding on its control", "says no more than that it is not responding"),
    ("the control socket belongs to another user", "control: another user's process on the socket"),
    ("the server's answer could not be read", "an answer of another version"),
    ("could not ask the server", "the system refused"),
    ("create the control socket", "the system refused"),
    ("listen on the control socket", "the system refused"),
    ("read the state of the lock file", "the system refused"),
    ("keeps being replaced", "another program writes the lock without end"),
    ("open the log", "the system refused"),
    ("set up the log", "a second log in one process"),
    ("write the result of the start", "the system refused"),
    ("report to the waiting start command", "the caller was ended"),
    ("wait for the daemon", "the system refused"),
    ("read the listening address", "the system refused"),
    ("the server was stopped during its start", "a stop during the first load"),
    ("ended unexpectedly", "a fault of the server"),
    ("a task failed", "a fault of the server"),
    ("the server has no running task", "a fault of the server"),
    ("cannot be used:", "the system refused"),
    ("connect to the server on its port", "the system refused"),
    ("start the runtime", "the system refused"),
    (
        ", and is not a server of flow; end it and start again",
        "runtime: a lock that another program holds",
    ),
    ("start the thread of the control socket", "the system refused"),
    ("the control socket's thread ended", "a fault of the server"),
    ("create a pipe", "the system refused"),
    ("could not fork", "the system refused"),
    ("could not detach", "the system refused"),
    ("the server exited before it was ready", "something ended the server"),
    ("s; run: flow api stop; its log is", "a first load of more than two minutes"),
    (") did not stop within", "a stop of more than 15 seconds"),
    ("bytes, over the limit of", "a template that grew while it was read"),
    ("has changed since it was read", "another command wrote at the same time"),
    ("is outside the project; a path in a field", "cases: hostile-checkout/links.in"),
    ("is a folder; give a file in it", "a folder that was created in the meantime"),
    ("entries, the limit", "hostile_checkout::limits"),
    ("; templates and the list of trusted templates must be", "hostile_checkout::trust"),
    ("SKILL.md does not begin with frontmatter", "such a folder is listed as foreign"),
    ("bytes; remove projects that no longer exist from it", "thousands of trusted templates"),
    ("no home folder for the list of trusted templates", "a user without a home folder"),
    ("the render job is invalid", "the process that renders templates, for this program alone"),
    ("ask for consent", "the system refused"),
    ("the template could not be parsed", "the process that renders templates was ended"),
    ("the template could not be rendered", "the process that renders templates was ended"),
    ("the template produced more than", "cases: custom/hostile.in"),
    ("could not run git", "git is not installed"),
    ("git took more than", "git hangs"),
    ("bytes; give a shorter range", "hostile_checkout::limits"),
    ("git failed", "a broken repository"),
    ("git does not show the commit", "a commit that was removed in the meantime"),
    ("is the beginning of several ids", "thousands of commits"),
    ("the folder's path is not UTF-8", "a path that is not UTF-8"),
    ("bytes in that commit; at most", "more than 256 MiB of plans"),
    (
        "is not in this repository, which may be a partial clone",
        "revision::a_partial_clone_is_named",
    ),
    ("there are no completions for", "a shell that is among the known ones, without completions"),
    ("write the completions", "the system refused"),
    ("it is given to map_err", "the reason of a lint"),
    ("find the log", "the system refused"),
    ("no field accepts the text", "a document whose heading has a label's name"),
    ("no template was added", "an answer on a terminal: cases, hostile-checkout/trust.in"),
];

/// The texts after constructors, by file.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            // What does not fit a notation is docs/notation.md's.
            if path.is_dir() && !path.ends_with("notation") {
                folders.push(path.clone());
            }
            if path.is_dir() {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let product = text.split("\n#[cfg(test)]").next().unwrap();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            for constructor in CONSTRUCTORS {
                let behind = product
                    .match_indices(constructor)
                    .map(|(at, found)| &product[at + found.len()..]);
                found.extend(behind.filter_map(literal).map(|text| (name.clone(), text)));
            }
        }
    }
    found
}

/// The longest fixed piece of the first literal after a constructor.
fn literal(behind: &str) -> Option<String> {
    let begin = behind.find('"').filter(|begin| *begin < REACH)? + 1;
    let mut escaped = false;
    let end = behind[begin..].find(|c: char| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    })?;
    let text = behind[begin..begin + end]
        .replace("\\\"", "\"")
        .replace("{{", "\u{1}")
        .replace("}}", "\u{2}");
    // A literal that continues on the next line.
    let text = text.split("\\\n").map(str::trim_start).collect::<String>();
    let pieces = text.split('{').filter_map(|piece| piece.rsplit('}').next());
    let longest = pieces.max_by_key(|piece| piece.len())?.trim();
    Some(longest.replace('\u{1}', "{").replace('\u{2}', "}"))
}

#[test]
fn every_error_of_the_sources_is_on_the_page_or_named_with_a_reason() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(super::PAGE)).unwrap();
    let texts = texts();
    assert!(texts.len() > 100, "only {} texts were found", texts.len());
    let is_told = |text: &str| {
        // A word alone is the code of an error, and not its text.
        text.len() < SHORTEST || !text.contains(' ') || page.contains(text)
    };
    let is_elsewhere = |text: &str| ELSEWHERE.iter().any(|(part, _)| text.starts_with(part));
    let left_out: Vec<_> =
        texts.iter().filter(|(_, text)| !is_told(text) && !is_elsewhere(text)).collect();
    assert!(left_out.is_empty(), "{left_out:#?}");
    let needless: Vec<_> = ELSEWHERE
        .iter()
        .filter(|(part, _)| {
            !texts.iter().any(|(_, text)| text.starts_with(part)) || page.contains(part)
        })
        .collect();
    assert!(needless.is_empty(), "{needless:#?}");
}
