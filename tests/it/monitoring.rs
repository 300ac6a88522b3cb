//! The output of `/metrics`, checked by `promtool`, and by a Prometheus that scrapes a server: each query of the
//! dashboard has data, and a broken status.json raises its alert.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Project, Server, fed, get, wait_until};
use crate::tools;

const STATUS: &str = "docs/09-agents/status.json";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/monitoring")
}

/// A project with something of everything.
fn project() -> Project {
    let project = Project::new();
    project.write(
        STATUS,
        r#"{"epics":{"EP-1":{}},"stories":{"US-1":{"status":"In Progress"},"US-2":{"status":"done"},
            "US-3":{"status":"it's \"odd\"\\\nx"},"US-4":7}}"#,
    );
    project
        .write(".flow/sessions/registry.json", r#"{"sessions":{"1":{},"2":{"status":"ended"}}}"#);
    let tasks = r#"{"tasks":{"a":{"state":"failed","agent":"ci"},"b":{"state":"queued","agent":"ci"},
        "c":{"state":"queued"}}}"#;
    project.write(".flow/state/task-dependencies.json", tasks);
    project.write("docs/09-agents/bus/log.jsonl", "{\"type\":\"question\",\"from\":\"a\"}\nbad\n");
    project
}

/// The value of a series in the text.
#[track_caller]
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in\n{text}")).parse().unwrap()
}

fn scrape(server: Server) -> String {
    let answer = server.get("/metrics");
    assert_eq!(answer.status, 200);
    let media = "text/plain; version=0.0.4; charset=utf-8";
    assert_eq!(answer.header("content-type"), Some(media));
    assert_eq!(answer.header("etag"), None);
    String::from_utf8(answer.body).unwrap()
}

#[test]
fn values_are_those_of_the_state() {
    let project = project();
    let server = project.start();
    let text = scrape(server);
    for (series, expected) in [
        ("flow_stories{status=\"in-progress\"}", 1.0),
        ("flow_stories{status=\"done\"}", 1.0),
        ("flow_stories{status=\"blocked\"}", 0.0),
        ("flow_stories{status=\"it's-\\\"odd\\\"\\\\\\nx\"}", 1.0),
        ("flow_tasks{agent=\"ci\",state=\"failed\"}", 1.0),
        ("flow_tasks{agent=\"none\",state=\"queued\"}", 1.0),
        ("flow_sessions{active=\"true\"}", 1.0),
        ("flow_sessions{active=\"false\"}", 1.0),
        ("flow_attention{kind=\"task_failed\"}", 1.0),
        ("flow_attention{kind=\"question_unanswered\"}", 1.0),
        ("flow_attention{kind=\"session_gone\"}", 0.0),
        ("flow_source_state{source=\"status\",state=\"present\"}", 1.0),
        ("flow_source_state{source=\"status\",state=\"invalid\"}", 0.0),
        ("flow_source_skipped_records{source=\"status\"}", 1.0),
        ("flow_source_skipped_records{source=\"bus\"}", 1.0),
        ("flow_reload_errors_total{source=\"status\"}", 0.0),
        (&format!("flow_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION")), 1.0),
    ] {
        assert!((value(&text, series) - expected).abs() < 0.01, "{series} in\n{text}");
    }
    let written = fs::metadata(project.root.join(STATUS)).unwrap().modified().unwrap();
    let written = written.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let modified = value(&text, "flow_source_modified_timestamp_seconds{source=\"status\"}");
    assert!((written - modified).abs() < 0.001, "{written} {modified}");
    assert!(value(&text, "process_cpu_seconds_total") > 0.0);
    let used = tools::Usage::of(server.pid);
    let (memory, files) =
        (value(&text, "process_resident_memory_bytes"), value(&text, "process_open_fds"));
    // Read at most a second before.
    #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
    let (resident, open) = (used.memory as f64 * 1024.0, used.files as f64);
    assert!((0.5..2.0).contains(&(memory / resident)), "{memory} {resident}");
    assert!((files - open).abs() <= 8.0 && files > 5.0, "{files} {open}");
    let started = value(&text, "process_start_time_seconds");
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    assert!((now - started).abs() < 120.0, "{started} {now}");
    // No label remains, and a broken file is counted once, however often it is read.
    project.write(STATUS, "{");
    let is_invalid = "flow_source_state{source=\"status\",state=\"invalid\"}";
    wait_until("the broken file counts", || value(&scrape(server), is_invalid) > 0.5);
    assert!(
        (value(&scrape(server), "flow_reload_errors_total{source=\"status\"}") - 1.0).abs() < 0.01
    );
    project.write(STATUS, r#"{"stories":{}}"#);
    wait_until("the file is good again", || value(&scrape(server), is_invalid) < 0.5);
    assert!(!scrape(server).contains("odd"));
}

#[test]
fn answers_are_counted_by_status() {
    let project = project();
    let server = project.start();
    let count = |code: &str| {
        value(&scrape(server), &format!("flow_http_requests_total{{code=\"{code}\"}}"))
    };
    let before = ["200", "404", "400", "403"].map(count);
    for path in ["/api", "/api/stories/none", "/api/stories?x=1", "/api/stories?x=2"] {
        get(server.port, path);
    }
    let after = ["200", "404", "400", "403"].map(count);
    let grown: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    // Each scrape is an answer too: three more before this one, and the four in between.
    let expected = [5.0, 1.0, 2.0, 0.0];
    assert!(grown.iter().zip(expected).all(|(one, other)| (one - other).abs() < 0.01), "{grown:?}");
}

#[test]
fn labels_are_bounded() {
    let project = Project::new();
    let story = |n: usize| format!("\"US-{n}\":{{\"status\":\"s{}\"}}", n.min(1_200));
    let stories: Vec<String> = (0..1_500).map(story).collect();
    project.write(STATUS, &format!("{{\"stories\":{{{}}}}}", stories.join(",")));
    let task = |n: usize| format!("\"t{n}\":{{\"agent\":\"a{n}\",\"state\":\"queued\"}}");
    let tasks: Vec<String> = (0..200).map(task).collect();
    let tasks = format!("{{\"tasks\":{{{}}}}}", tasks.join(","));
    project.write(".flow/state/task-dependencies.json", &tasks);
    let text = scrape(project.start());
    for (name, total) in [("flow_stories{", 1_500.0), ("flow_tasks{", 200.0)] {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(name)).collect();
        let values =
            lines.iter().map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap());
        assert!(
            lines.len() <= 56 && lines.iter().any(|line| line.contains("\"other\"")),
            "{lines:?}"
        );
        assert!((values.sum::<f64>() - total).abs() < 0.01, "{lines:?}");
    }
    assert!((value(&text, "flow_stories{status=\"s1200\"}") - 300.0).abs() < 0.01);
}

#[test]
fn promtool_takes_the_metrics_and_the_rules() {
    if !tools::has("promtool") {
        return;
    }
    let text = scrape(project().start());
    let checked = fed(Command::new("promtool").args(["check", "metrics"]), text.as_bytes());
    let said = [checked.stdout, checked.stderr].concat();
    assert!(checked.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
    for words in [
        ["check", "rules", "alerts.yml"],
        ["test", "rules", "alerts_test.yml"],
        ["check", "config", "prometheus.yml"],
    ] {
        let done = Command::new("promtool").args(words).current_dir(docs()).output().unwrap();
        let said = [done.stdout, done.stderr].concat();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said));
    }
}

/// A Prometheus that scrapes a server each second.
struct Prometheus {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Prometheus {
    fn start(server: Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rules = fs::read_to_string(docs().join("alerts.yml")).unwrap();
        // The original rules, except for the time that a state must last.
        let soon: Vec<String> = rules
            .lines()
            .map(|line| match line.split_once("for: ") {
                Some((before, _)) => format!("{before}for: 1s"),
                None => line.to_owned(),
            })
            .collect();
        fs::write(folder.path().join("alerts.yml"), soon.join("\n")).unwrap();
        let config = fs::read_to_string(docs().join("prometheus.yml")).unwrap();
        let config = config.replace("15s", "1s").replace(":3456", &format!(":{}", server.port));
        fs::write(folder.path().join("prometheus.yml"), config).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new("prometheus")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let prometheus = Self { process, port, _folder: folder };
        wait_until("Prometheus listens", || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        prometheus
    }

    fn ask(&self, path: &str) -> Value {
        serde_json::from_slice(&get(self.port, path).body).unwrap_or_default()
    }

    /// The number of series of a query.
    fn count(&self, query: &str) -> usize {
        let encode = |byte: u8| format!("%{byte:02x}");
        let query: String = query.bytes().map(encode).collect();
        let answer = self.ask(&format!("/api/v1/query?query={query}"));
        assert_ne!(answer["status"], "error", "{answer}");
        answer["data"]["result"].as_array().map_or(0, Vec::len)
    }

    fn firing(&self) -> Vec<String> {
        let answer = self.ask("/api/v1/alerts");
        let alerts = answer["data"]["alerts"].as_array().cloned().unwrap_or_default();
        let firing = alerts.iter().filter(|alert| alert["state"] == "firing");
        firing.map(|alert| alert["labels"]["alertname"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_prometheus_gets_data_for_the_dashboard_and_raises_the_alert_of_a_broken_file() {
    if !tools::has("prometheus") {
        return;
    }
    let project = project();
    let server = project.start();
    let prometheus = Prometheus::start(server);
    let text = fs::read_to_string(docs().join("dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let mut queries = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            let query = query.replace("$instance", ".*").replace("$__rate_interval", "30s");
            wait_until(&query, || prometheus.count(&query) > 0);
            queries += 1;
        }
    }
    assert!(queries >= 14, "{queries}");
    assert!(!prometheus.firing().contains(&"FlowFileBroken".to_owned()));
    project.write(STATUS, "{\"stories\":");
    wait_until("the alert", || prometheus.firing().contains(&"FlowFileBroken".to_owned()));
    project.write(STATUS, "{}");
    wait_until("it ends", || !prometheus.firing().contains(&"FlowFileBroken".to_owned()));
}
