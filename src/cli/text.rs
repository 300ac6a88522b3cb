//! Every sentence for the user. Pure functions. Text from files, names or the environment is escaped here and nowhere
//! else.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::args::verbs::VERBS;
use super::counts::Counts;
use super::terminal::{Size, table};
use crate::control::Status;
use crate::daemon::{Listed, Note, Silent, Taken};
use crate::model::hidden::{is_hidden, json_escape};
use crate::project::{Project, Source, user_name};
use crate::routes::ROUTES;
use crate::skill::runtime::catalog;

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// Escapes characters that could move the cursor, forge a line, hide text or change its direction.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\t' | '\n') || is_hidden(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// [`escape`] for a multi-line text, which keeps its line breaks and tabs.
pub(super) fn escape_lines(text: &str) -> String {
    let is_kept = |c: &char| *c == '\n' || *c == '\t';
    text.split_inclusive(|c| is_kept(&c))
        .map(|part| match part.chars().next_back().filter(is_kept) {
            Some(end) => escape(&part[..part.len() - 1]) + end.encode_utf8(&mut [0; 4]),
            None => escape(part),
        })
        .collect()
}

/// [`escape`] for a JSON document on one line: it uses JSON's escapes, so that the value stays the same.
pub(super) fn escape_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\t' || is_hidden(c) {
            safe.push_str(&json_escape(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

fn path(path: &Path) -> String {
    escape(&path.to_string_lossy())
}

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// An emphasised word.
pub(super) fn emphasis(word: &str) -> String {
    styled(BOLD, word)
}

/// A word that people should notice.
pub(super) fn attention(word: &str) -> String {
    styled(YELLOW, word)
}

/// An error message.
pub(super) fn problem(sentence: &str) -> String {
    format!("{}: {}\n", styled(RED, "error"), escape(sentence))
}

/// A note for the user.
pub(super) fn note(sentence: &str) -> String {
    format!("{}: {}\n", styled(YELLOW, "note"), escape(sentence))
}

/// A warning for the user.
pub(super) fn warning(sentence: &str) -> String {
    format!("{}: {}\n", styled(YELLOW, "warning"), escape(sentence))
}

/// An option without a value that `flow skill` has not.
pub(super) fn no_option(key: &str) -> String {
    format!("flow skill has no option --{key}; a field of the skill has a value: {key}=VALUE")
}

/// The error for a `KEY=value` word with an unknown key.
pub(super) fn unknown_key(key: &str, nearest: Option<&str>, known: &[&str]) -> String {
    let hint = nearest.map(|near| format!("; did you mean {near}=…?")).unwrap_or_default();
    format!("unknown key {key:?}; known keys of flow api: {}{hint}", known.join(", "))
}

/// A note about a start.
pub(super) fn noted(note: &Note) -> String {
    match note {
        Note::Shared { folder, mode } => format!(
            "other users can write to the project's .flow folder (mode {mode:o}, left as it is); lock, socket and log are in {}",
            folder.display()
        ),
        Note::TooLong { folder } => format!(
            "the path of the project's .flow folder is too long for a socket; lock, socket and log are in {}",
            folder.display()
        ),
        Note::NotListed { reason } => {
            format!("flow api list will not show this server: {reason}")
        }
        Note::Cleaned { files } => {
            format!("removed stale {} left by a crashed server", files.join(", "))
        }
        Note::NotIgnored { reason } => {
            format!(".flow/.gitignore could not be written ({reason}); git will show .flow")
        }
    }
}

/// The note about files that were not found.
pub(super) fn missing(source: Source, files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    format!("no {} file yet: looked for {}", source.name(), names.join(", then "))
}

/// None of the four files is there: where they were looked for, and how to begin.
pub(super) fn no_files(project: &Project) -> String {
    let mut text =
        note("none of the four files exists yet; each is served as soon as it is written");
    for source in Source::ALL {
        let names: Vec<_> =
            project.files(source).iter().map(|file| file.display().to_string()).collect();
        text += &next(&format!("{:<9} {}", source.name(), names.join(", else ")));
    }
    let root = project.state_root().display();
    text += &next(&format!("searched in {root}; if the project is elsewhere, add: --project DIR"));
    let status = project.files(Source::Status).first().map(|file| file.display().to_string());
    text + &next(&format!(
        r#"to begin, write {{"stories": {{"US-1": {{"title": "A first story", "status": "ready"}}}}}} to {}"#,
        status.unwrap_or_default()
    ))
}

/// A plan of another tool that is read, by its source in health.
pub(super) fn format_read(name: &str, facts: &Value) -> String {
    let (files, records) = (&facts["files"], &facts["records"]);
    let path = facts["path"].as_str().unwrap_or_default();
    format!("the plan is read from {name}: {records} records in {files} files in {path}")
}

/// The plans of other tools that are in the project and are not read.
pub(super) fn formats_beside(names: &[&str]) -> Option<String> {
    let first = names.first()?;
    Some(format!(
        r#"{} is in the project too and not read; to add it, set {{"formats": ["{first}"]}} in .flow/config.json"#,
        names.join(", ")
    ))
}

/// The files of another worktree are served.
pub(super) fn main_worktree(root: &Path) -> String {
    format!(
        "this worktree has none of the four files; serving those of the main worktree, {}",
        root.display()
    )
}

/// The fault of a file according to health; `None` if it is valid or missing.
pub(super) fn broken(facts: &Value) -> Option<String> {
    let state = facts["state"].as_str()?;
    if matches!(state, "present" | "missing") {
        return None;
    }
    let path = facts["path"].as_str().unwrap_or_default();
    let reason = facts["last_error"].as_str().unwrap_or("being written");
    let verb = if state == "unreadable" { "cannot be read:" } else { "is" };
    let served = match facts["loaded_at"].as_str() {
        Some(time) => format!("serving the version of {time}"),
        None => "no valid version read yet".to_owned(),
    };
    Some(format!("{path} {verb} {reason}; {served}"))
}

/// The result of a successful or unnecessary start.
pub(super) fn started(status: &Status, was: &str, stop: &str) -> String {
    let mut text = format!("{was} {}\n", escape(&status.project));
    let rows = [
        ("address", styled(BOLD, &status.url())),
        ("page", styled(BOLD, &status.page())),
        ("pid", status.pid.to_string()),
        ("log", escape(&status.log)),
        ("stop it", escape(stop)),
    ];
    for (name, value) in rows {
        row(&mut text, name, &value);
    }
    text
}

fn row(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "  {name:<11}{value}");
}

/// A command of `flow api` that can be pasted. The project is repeated if it was named.
pub(super) fn command(program: &Path, words: &str, named: Option<&Path>) -> String {
    let program = quoted(program);
    match named {
        Some(project) => format!("{program} api {words} --project {}", quoted(project)),
        None => format!("{program} api {words}"),
    }
}

/// A word, quoted for a shell if necessary.
pub(super) fn quoted(word: &Path) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    let is_plain = !text.is_empty() && text.chars().all(plain);
    if is_plain { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The error that the server runs on another port than the requested one.
pub(super) fn elsewhere(status: &Status, port: u16, stop: &str) -> String {
    format!(
        "already running at {} (pid {}); to use port {port}, stop it first: {stop}",
        status.url(),
        status.pid
    )
}

/// Somebody has the port.
pub(super) fn taken(taken: &Taken, project: Option<&str>) -> String {
    let who = match (&taken.holder, project, taken.user) {
        (Some(holder), Some(project), _) => {
            format!("the flow server of {project} (pid {})", holder.pid)
        }
        (Some(holder), None, _) => format!("{} (pid {})", holder.name, holder.pid),
        (None, _, Some(user)) => format!("a process of another user, {}", user_name(user)),
        (None, _, None) => "a process that cannot be seen from here".to_owned(),
    };
    format!("port {} is taken by {who}", taken.port)
}

/// How a port becomes the project's own.
pub(super) fn keep_port(port: u16, config: &Path) -> String {
    let config_name = config.display();
    match config.symlink_metadata() {
        Ok(_) => format!("to keep that port, set \"port\": {port} in {config_name}"),
        Err(_) => format!("to keep that port, write {{\"port\": {port}}} to {config_name}"),
    }
}

/// The current folder is unknown: most likely it was removed.
pub(super) fn no_current_folder(error: &io::Error) -> String {
    format!("could not find the current folder: {error}; change to a folder that exists")
}

/// What the user can do, below what is wrong.
pub(super) fn next(sentence: &str) -> String {
    format!("  {}\n", escape(sentence))
}

/// It holds the lock and is not responding: why, as far as that is known.
pub(super) fn silent(Silent { why, pid, log }: &Silent) -> String {
    let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    // That it is silent says no more.
    let says_more = !why.is_empty() && !why.contains("not responding");
    let why = if says_more { format!(": {why}") } else { String::new() };
    format!("the server of this project is not responding{pid}{why}; its log is {}", log.display())
}

/// How a server that does not stop is ended.
pub(super) fn kill(pid: u32) -> String {
    format!("to end it, run: kill {pid}")
}

/// The message that no server is running.
pub(super) fn not_running(root: &Path) -> String {
    format!("no server is running for {}\n", path(root))
}

/// Nothing runs, and what to do about it.
pub(super) fn not_running_yet(root: &Path, start: &str) -> String {
    format!("no server is running for {}; to start one, run: {}\n", path(root), escape(start))
}

/// What a crashed server has left.
pub(super) fn stale(files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    format!("stale {} left by a crashed server; the next start removes {them}", names.join(", "))
}

/// Confirms that the server was stopped.
pub(super) fn stopped(status: &Status) -> String {
    format!("stopped {} (pid {})\n", escape(&status.project), status.pid)
}

/// The status of the server, with its health and the states of its files.
pub(super) fn status(status: &Status, health: &Value, counts: Option<&Counts>) -> String {
    let counts = counts.map(|counts| format!("  {}", escape(&counts.line()))).unwrap_or_default();
    let mut text = format!("{}{counts}\n", verdict(health["status"].as_str()));
    let _ = writeln!(text, "serving {}", escape(&status.project));
    let rows = [
        ("address", styled(BOLD, &status.url())),
        ("page", styled(BOLD, &status.page())),
        ("port", status.port.to_string()),
        ("pid", status.pid.to_string()),
        ("uptime", uptime(status.uptime_seconds)),
        ("generation", status.generation.to_string()),
        ("version", escape(&status.version)),
        ("log", escape(&status.log)),
    ];
    for (name, value) in rows {
        row(&mut text, name, &value);
    }
    if health["served_from"] == "main_worktree" {
        row(&mut text, "files", "of the main worktree; this one has none");
    }
    text.push_str("sources\n");
    let sources = || health["sources"].as_object().into_iter().flatten();
    for (name, facts) in sources() {
        row(&mut text, &escape(name), &source_state(facts));
    }
    if sources().filter_map(|(_, facts)| doubtful(facts)).count() > 0 {
        row(&mut text, "problems", "to see each with its line, run: flow doctor");
    }
    text.push_str(&endpoints(Size::known_width()));
    text
}

/// How many records of a file are skipped or suspicious according to health; `None` if none is.
pub(super) fn doubtful(facts: &Value) -> Option<String> {
    let count = |name: &str| match facts[name].as_u64() {
        None | Some(0) => None,
        Some(count) => Some(format!("{count} {name}")),
    };
    let counts: Vec<String> = ["skipped", "suspicious"].into_iter().filter_map(count).collect();
    let path = facts["path"].as_str().unwrap_or_default();
    let counts = (!counts.is_empty()).then(|| counts.join(", "))?;
    Some(format!("records of {path} may not be read as meant: {counts}; run: flow doctor"))
}

fn source_state(facts: &Value) -> String {
    let word = |name: &str| facts[name].as_str().map(escape).unwrap_or_default();
    let Some(state) = facts["state"].as_str() else { return "unknown".into() };
    let style = if matches!(state, "present" | "missing") { Style::new() } else { YELLOW };
    let mut text = format!("{} {}", styled(style, &format!("{:<11}", escape(state))), word("path"));
    for name in ["records", "skipped", "suspicious"] {
        match facts[name].as_u64().unwrap_or_default() {
            0 => {}
            1 if name == "records" => text.push_str(", 1 record"),
            count => drop(write!(text, ", {count} {name}")),
        }
    }
    if let Some(error) = facts["last_error"].as_str() {
        let _ = write!(text, ", {}", escape(error));
    }
    text
}

fn verdict(health: Option<&str>) -> String {
    match health {
        Some("ok") => styled(GREEN, "ok"),
        Some(other) => styled(YELLOW, &escape(other)),
        None => "unknown".into(),
    }
}

fn uptime(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// The API's paths with their purposes.
pub(super) fn endpoints(width: Option<usize>) -> String {
    let rows = ROUTES.iter().map(|route| (route.path, route.gives.to_owned()));
    table("endpoints", rows, width)
}

/// The verbs of `flow skill`.
pub(super) fn verbs(width: Option<usize>) -> String {
    table("verbs", VERBS.iter().map(|verb| (verb.name, verb.about.to_owned())), width)
}

/// The skills by name, each with the first sentence of its description.
pub(super) fn skills(width: Option<usize>) -> String {
    let rows = catalog::names().map(|name| (name, catalog::summary(name)));
    table("skills", rows, width)
}

/// An open question of a skill.
pub(super) fn open_question(question: &str) -> String {
    format!("{}: {}\n", styled(YELLOW, "open question"), escape(question))
}

/// Every daemon of the user.
pub(super) fn list(daemons: &[Listed]) -> String {
    if daemons.is_empty() {
        return "no server of this user is running\n".into();
    }
    daemons.iter().fold(String::new(), |mut text, daemon| {
        let root = path(&daemon.root);
        let _ = match &daemon.answer {
            Some((status, health)) => {
                let health = verdict(health.as_deref());
                writeln!(
                    text,
                    "{}  {health}  pid {}  {root}",
                    styled(BOLD, &status.url()),
                    status.pid
                )
            }
            None => writeln!(text, "{}  {root}", styled(RED, "is not responding")),
        };
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_or_turns_gets_through() {
        assert_eq!(escape("a\u{1b}[31m\n\u{202e}b\u{9b}é"), "a\\u{1b}[31m\\n\\u{202e}b\\u{9b}é");
        assert_eq!(problem("x\ny").matches('\n').count(), 1);
    }

    #[test]
    fn times_read_well() {
        assert_eq!(uptime(59), "59 s");
        assert_eq!(uptime(61), "1 min 1 s");
        assert_eq!(uptime(7_320), "2 h 2 min");
        assert_eq!(uptime(90_000), "1 d 1 h");
    }

    #[test]
    fn a_command_that_is_shown_can_be_pasted() {
        let shown = |name: &str| command(Path::new("flow"), "stop", Some(Path::new(name)));
        assert_eq!(
            command(Path::new("target/release/flow"), "stop", None),
            "target/release/flow api stop"
        );
        assert_eq!(shown("/a/b"), "flow api stop --project /a/b");
        assert_eq!(shown("/a b/it's"), r"flow api stop --project '/a b/it'\''s'");
    }

    #[test]
    fn every_endpoint_is_listed() {
        let text = endpoints(None);
        assert!(ROUTES.iter().all(|route| text.contains(route.path) && text.contains(route.gives)));
    }
}
