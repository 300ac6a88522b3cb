//! `/metrics`: the state in the text format of Prometheus. Every value is computed from the snapshot at the scrape, so
//! that no label remains after the records that it counted. No id is a label.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::StatusCode;
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage};
use prometheus::{
    Counter, Encoder, GaugeVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};
use serde_json::Map;

use crate::derived::attention::Attention;
use crate::project::Source;
use crate::routes::SILENT_AFTER;
use crate::store::Snapshot;
use crate::store::metrics::{self, Tally};
use crate::store::plans::FormatHealth;
use crate::store::snapshot::State;

use super::etag::VERSION;
use super::reply::{Media, Reply};
use super::view::{About, View};

/// Number of statuses, states and agents that are labels: the most frequent ones. The others count as [`OTHER`].
const MOST_VALUES: usize = 50;
const OTHER: &str = "other";

/// Answers a scrape.
pub(super) fn scrape(view: &View<'_>, about: &About) -> Reply {
    match text(view.snapshot, about) {
        Ok(text) => Reply { media: Media::Metrics, ..Reply::json(Bytes::from(text)) },
        Err(error) => {
            tracing::error!(error = ?error.to_string(), "could not encode the metrics");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Reply::error(status, "internal", "could not encode the metrics", Map::new())
        }
    }
}

fn text(snapshot: &Snapshot, about: &About) -> prometheus::Result<Vec<u8>> {
    let registry = Registry::new();
    let gauges = Gauges(&registry);
    let build =
        gauges.add("flow_build_info", "Version of the running server; always 1.", &["version"])?;
    build.with_label_values(&[VERSION]).set(1);
    counts(&gauges, snapshot)?;
    attention(&gauges, snapshot)?;
    sources(&gauges, snapshot)?;
    reload_errors(&registry, snapshot)?;
    let requests = Opts::new("flow_http_requests_total", "Requests answered, by status.");
    let requests = IntCounterVec::new(requests, &["code"])?;
    for (code, count) in about.requests.all() {
        requests.with_label_values(&[code.as_str()]).inc_by(count);
    }
    registry.register(Box::new(requests))?;
    process(&registry, about)?;
    let mut out = Vec::new();
    TextEncoder::new().encode(&registry.gather(), &mut out)?;
    Ok(out)
}

/// Creates gauges in a registry.
struct Gauges<'a>(&'a Registry);

impl Gauges<'_> {
    fn add(&self, name: &str, help: &str, labels: &[&str]) -> prometheus::Result<IntGaugeVec> {
        let gauge = IntGaugeVec::new(Opts::new(name, help), labels)?;
        self.0.register(Box::new(gauge.clone()))?;
        Ok(gauge)
    }
}

fn counts(gauges: &Gauges<'_>, snapshot: &Snapshot) -> prometheus::Result<()> {
    let metrics = metrics::metrics(snapshot);
    let stories = gauges.add("flow_stories", "Stories by status.", &["status"])?;
    for (status, count) in &metrics.stories.by_status {
        stories
            .with_label_values(&[label(&metrics.stories.by_status, status)])
            .add(integer(*count));
    }
    if metrics.stories.by_status_others > 0 {
        stories.with_label_values(&[OTHER]).add(integer(metrics.stories.by_status_others));
    }
    let sessions = gauges.add("flow_sessions", "Sessions, active or not.", &["active"])?;
    let active = metrics.sessions.active;
    sessions.with_label_values(&["true"]).set(integer(active));
    sessions.with_label_values(&["false"]).set(integer(metrics.sessions.total - active));
    let tasks =
        gauges.add("flow_tasks", "Tasks by state and kind of agent.", &["state", "agent"])?;
    let (by_state, by_agent) = (&metrics.tasks.by_state, &metrics.tasks.by_agent);
    let records = &snapshot.tasks.records;
    let (Some(states), Some(agents)) = (records.terms("state"), records.terms("subagent_type"))
    else {
        return Ok(());
    };
    for (state, set) in states.sets_of_values() {
        let state = label(by_state, state);
        for (agent, count) in agents.counts_in(set).filter(|(_, count)| *count > 0) {
            tasks.with_label_values(&[state, label(by_agent, agent)]).add(integer(count));
        }
    }
    Ok(())
}

/// The label of a value: itself if it is one of the most frequent ones.
fn label<'a>(tally: &Tally<'_>, value: &'a str) -> &'a str {
    let Some((place, _, count)) = tally.get_full(value) else { return OTHER };
    if tally.len() <= MOST_VALUES {
        return value;
    }
    let is_before = |(at, other): (usize, &usize)| *other > *count || other == count && at < place;
    let before = tally.values().enumerate().filter(|pair| is_before(*pair)).count();
    if before < MOST_VALUES { value } else { OTHER }
}

fn attention(gauges: &Gauges<'_>, snapshot: &Snapshot) -> prometheus::Result<()> {
    let help = "Items that need attention, by kind; sessions count as silent after 30 minutes.";
    let gauge = gauges.add("flow_attention", help, &["kind"])?;
    let Attention { counts, .. } = Attention::at(snapshot, SystemTime::now(), SILENT_AFTER);
    for (kind, count) in counts.iter().filter(|(kind, _)| **kind != "total") {
        gauge.with_label_values(&[*kind]).set(integer(*count));
    }
    Ok(())
}

fn sources(gauges: &Gauges<'_>, snapshot: &Snapshot) -> prometheus::Result<()> {
    let help = "1 for the current state of a file, 0 for all others.";
    let states = gauges.add("flow_source_state", help, &["source", "state"])?;
    let help = "Records or lines of a file that are not served.";
    let skipped = gauges.add("flow_source_skipped_records", help, &["source"])?;
    let help = "Reports that records of a file may not be read as meant.";
    let suspicious = gauges.add("flow_source_suspicious_records", help, &["source"])?;
    let help = "Modification time of the served content of a file, in seconds since 1970.";
    let modified = Opts::new("flow_source_modified_timestamp_seconds", help);
    let modified = GaugeVec::new(modified, &["source"])?;
    gauges.0.register(Box::new(modified.clone()))?;
    for source in Source::ALL {
        let (name, health) = (source.name(), &snapshot.health[source.index()]);
        for state in State::ALL {
            let gauge = states.with_label_values(&[name, state.name()]);
            gauge.set(i64::from(state == health.state));
        }
        skipped.with_label_values(&[name]).set(integer_of(health.skipped));
        let reports = snapshot.suspicious(source);
        suspicious.with_label_values(&[name]).set(integer_of(reports));
        if let Some(time) = snapshot.stamp(source).modified {
            modified.with_label_values(&[name]).set(seconds(time));
        }
    }
    for format in &snapshot.plans.formats {
        let FormatHealth { name, health, .. } = format;
        for state in State::ALL {
            let gauge = states.with_label_values(&[name, state.name()]);
            gauge.set(i64::from(state == health.state));
        }
        skipped.with_label_values(&[name]).set(integer_of(health.skipped));
        suspicious.with_label_values(&[name]).set(integer_of(snapshot.suspicious_of(format)));
    }
    Ok(())
}

fn integer_of(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn reload_errors(registry: &Registry, snapshot: &Snapshot) -> prometheus::Result<()> {
    let help = "Number of times a file became invalid, unreadable, refused or too large.";
    let errors = IntCounterVec::new(Opts::new("flow_reload_errors_total", help), &["source"])?;
    for source in Source::ALL {
        let count = snapshot.history.reload_errors[source.index()];
        errors.with_label_values(&[source.name()]).inc_by(count);
    }
    registry.register(Box::new(errors))
}

/// What the system reports about this process. Memory and open files are those of the last reading, at most a second ago.
fn process(registry: &Registry, about: &About) -> prometheus::Result<()> {
    let start = prometheus::Gauge::new(
        "process_start_time_seconds",
        "Start time of the process since unix epoch in seconds.",
    )?;
    start.set(seconds(about.started_at));
    registry.register(Box::new(start))?;
    if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
        let cpu = Counter::new(
            "process_cpu_seconds_total",
            "Total user and system CPU time spent in seconds.",
        )?;
        let of = |time: nix::sys::time::TimeVal| {
            let micros = u32::try_from(time.tv_usec()).unwrap_or_default();
            let seconds = u32::try_from(time.tv_sec()).unwrap_or(u32::MAX);
            f64::from(seconds) + f64::from(micros) / 1e6
        };
        cpu.inc_by(of(usage.user_time()) + of(usage.system_time()));
        registry.register(Box::new(cpu))?;
    }
    let most = getrlimit(Resource::RLIMIT_NOFILE).ok().map(|(soft, _)| soft);
    for (name, help, value) in [
        ("process_max_fds", "Maximum number of open file descriptors.", most),
        ("process_open_fds", "Number of open file descriptors.", about.usage.open_files()),
        (
            "process_resident_memory_bytes",
            "Resident memory size in bytes.",
            about.usage.resident_bytes(),
        ),
    ] {
        let Some(value) = value else { continue };
        let gauge = IntGauge::new(name, help)?;
        gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        registry.register(Box::new(gauge))?;
    }
    Ok(())
}

fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
