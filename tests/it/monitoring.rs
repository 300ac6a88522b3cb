//! The output of `/metrics`, checked by `promtool`, and by a Prometheus that scrapes a server: each query of the
//! dashboard has data, and a broken status.json raises its alert. `tests/cases/transport` shows the values.

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

#[test]
fn promtool_takes_the_metrics_and_the_rules() {
    if !tools::has("promtool") {
        return;
    }
    let text = project().start().get("/metrics").body;
    let checked = fed(Command::new("promtool").args(["check", "metrics"]), &text);
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
