//! The control socket with misbehaving clients. After each the daemon must still answer.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{GENEROUS, Project, wait_until};
use crate::tools::{has, is_root};

fn connect(project: &Project) -> UnixStream {
    let stream = UnixStream::connect(project.file("api-server.sock")).unwrap();
    stream.set_read_timeout(Some(GENEROUS)).unwrap();
    stream
}

fn line(stream: &UnixStream) -> Value {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
}

/// Sends bytes as they are and reads one line.
fn ask(project: &Project, bytes: &[u8]) -> Value {
    let mut stream = connect(project);
    let _ = stream.write_all(bytes);
    line(&stream)
}

#[track_caller]
fn is_refused(answer: &Value, code: &str) {
    assert_eq!(answer["ok"], false, "{answer}");
    assert_eq!(answer["code"], code, "{answer}");
    assert!(answer["error"].is_string(), "{answer}");
}

#[track_caller]
fn still_answers(project: &Project) {
    assert_eq!(ask(project, b"{\"request\":\"status\"}\n")["ok"], true);
}

#[test]
fn each_request_gets_its_answer() {
    let project = Project::new();
    let server = project.start();
    let status = ask(&project, b"{\"request\":\"status\"}\n");
    assert_eq!(status["ok"], true);
    assert_eq!(status["pid"], server.pid);
    assert_eq!(status["port"], server.port);
    assert_eq!(status["phase"], "running");
    let synced = ask(&project, b"{\"request\":\"sync\"}\n");
    assert_eq!(synced["ok"], true);
    assert!(synced["generation"].is_u64(), "{synced}");
    let got = ask(&project, b"{\"request\":\"get\",\"path\":\"/api\"}\n");
    assert_eq!(got["ok"], true);
    let http = server.get("/api");
    assert_eq!(got["status"], http.status);
    assert_eq!(got["body"].as_str().unwrap().as_bytes(), http.body);
    let stopping = ask(&project, b"{\"request\":\"stop\"}\n");
    assert_eq!(stopping, json!({"ok": true, "phase": "stopping"}));
    wait_until("it stops", || project.status().code == 3);
}

#[test]
fn several_requests_may_share_a_connection() {
    let project = Project::new();
    project.start();
    let mut stream = connect(&project);
    stream.write_all(b"{\"request\":\"status\"}\n{\"request\":\"sync\"}\n").unwrap();
    let mut reader = BufReader::new(&stream);
    for field in ["pid", "generation"] {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer[field].is_u64(), "{answer}");
    }
}

#[test]
fn a_megabyte_in_one_line_is_refused_at_once() {
    let project = Project::new();
    project.start();
    let begun = Instant::now();
    is_refused(&ask(&project, &vec![b'x'; 1 << 20]), "too_long");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let mut whole = vec![b' '; 1 << 17];
    whole.extend(b"{\"request\":\"status\"}\n");
    is_refused(&ask(&project, &whole), "too_long");
    still_answers(&project);
}

#[test]
fn half_a_line_is_refused_within_a_second() {
    let project = Project::new();
    project.start();
    let begun = Instant::now();
    is_refused(&ask(&project, b"{\"request\":"), "too_slow");
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    still_answers(&project);
}

#[test]
fn what_is_no_request_is_refused() {
    let project = Project::new();
    project.start();
    for bytes in [
        b"garbage\n".as_slice(),
        b"\n",
        b"\xff\xfe{\n",
        b"{\"request\":\"\xff\"}\n",
        b"{\"request\":\"format\"}\n",
        b"{\"request\":\"get\"}\n",
        b"[]\n",
        b"{\"request\":\"status\"\0}\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ] {
        is_refused(&ask(&project, bytes), "bad_request");
    }
    for path in ["", "api", "/a b", "/\\u001b[31m", "http://x/"] {
        let request = format!("{{\"request\":\"get\",\"path\":\"{path}\"}}\n");
        is_refused(&ask(&project, request.as_bytes()), "invalid_path");
    }
    still_answers(&project);
}

#[test]
fn too_many_connections_are_refused_and_forgotten() {
    let project = Project::new();
    project.start();
    let held: Vec<UnixStream> = (0..16).map(|_| connect(&project)).collect();
    is_refused(&line(&connect(&project)), "busy");
    // Clients that sent nothing are disconnected in turn, which frees their places.
    is_refused(&line(&held[0]), "too_slow");
    drop(held);
    wait_until("a place is free", || ask(&project, b"{\"request\":\"status\"}\n")["ok"] == true);
}

#[test]
fn a_client_that_leaves_at_once_does_no_harm() {
    let project = Project::new();
    project.start();
    for _ in 0..100 {
        drop(connect(&project));
    }
    for _ in 0..100 {
        let mut stream = connect(&project);
        let _ = stream.write_all(b"{\"request\":\"status\"}\n");
    }
    wait_until("it answers", || ask(&project, b"{\"request\":\"status\"}\n")["ok"] == true);
}

#[test]
fn the_end_of_what_is_sent_ends_the_line() {
    let project = Project::new();
    project.start();
    let mut stream = connect(&project);
    stream.write_all(b"{\"request\":\"status\"}").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("{\"ok\":true,"), "{answer}");
}

#[test]
fn another_user_is_refused() {
    const CLIENT: &str = "use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); \
        connect(S, pack_sockaddr_un($ARGV[0])) or die; \
        syswrite(S, qq({\"request\":\"stop\"}\\n)); sysread(S, $answer, 1000); print $answer;";
    if !is_root() || !has("setpriv") || !has("perl") {
        return;
    }
    let project = Project::new();
    project.start();
    let open = |path: &Path| fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
    let socket = project.file("api-server.sock");
    socket.ancestors().take(4).for_each(open);
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e", CLIENT]);
    let ran = other.arg(&socket).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    is_refused(&serde_json::from_slice(&ran.stdout).unwrap(), "not_yours");
    still_answers(&project);
}
