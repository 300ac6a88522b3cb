//! The packages for registries, made of a small program and given to who installs them: pip, npm, cargo, Ruby; and what a
//! release may change of the API. `packaging/test` tries the packages of the built program in a clean root.

use std::env::consts::ARCH;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::live::Live;
use crate::support::Ran;
use crate::tools::has;

/// As Cargo.toml names the packages.
const NAME: &str = "planwatch";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Prints its words, and exits with 7 where the first is `fail`.
const PROGRAM: &str = r#"#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
  for (int at = 1; at < count; at++) puts(words[at]);
  return count > 1 && strcmp(words[1], "fail") == 0 ? 7 : 0;
}
"#;

fn run(command: &mut Command) -> Ran {
    Ran::from(command.output().unwrap())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A script of `packaging/`.
fn script(name: &str) -> Command {
    let mut command = Command::new(root().join("packaging").join(name));
    command.env("SOURCE_DATE_EPOCH", "1767225600").env("PYTHONDONTWRITEBYTECODE", "1");
    // The program is that of the tests, which is large.
    command.env("COMPRESSION_LEVEL", "1");
    command
}

/// A program and the folder for its packages.
struct Bench {
    folder: TempDir,
    program: PathBuf,
    target: String,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(folder.path().join("program.c"), PROGRAM).unwrap();
        run(Command::new("cc").arg("-o").arg(&program).arg(folder.path().join("program.c")))
            .expect(0);
        fs::create_dir(folder.path().join("packages")).unwrap();
        Self { folder, program, target: format!("{ARCH}-unknown-linux-gnu") }
    }

    fn packages(&self) -> PathBuf {
        self.folder.path().join("packages")
    }

    fn wheel(&self, target: &str) -> Ran {
        let mut command = script("wheel");
        command.arg(self.packages()).arg(target).arg(&self.program).arg(root().join("LICENSE"));
        run(&mut command)
    }

    fn npm(&self, target: &str) -> Ran {
        let mut command = script("npm");
        command.arg(self.packages()).args(["--target", target]).arg(&self.program);
        run(command.arg(root().join("LICENSE")))
    }
}

/// The program by each of its names: its words and its exit code are passed.
fn runs(folder: &Path) {
    for name in ["flow", NAME] {
        let said = run(Command::new(folder.join(name)).args(["fail", "a b", "--c"])).expect(7);
        assert_eq!(said.out, "fail\na b\n--c\n", "{name}");
    }
}

#[test]
fn pip_installs_the_wheel_of_its_platform_and_of_no_other_and_removes_it() {
    if !has("python3") {
        return;
    }
    let bench = Bench::new();
    let made = PathBuf::from(bench.wheel(&bench.target).expect(0).out.trim());
    let name = made.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(&format!("{NAME}-{VERSION}-py3-none-manylinux_2_")), "{name}");
    assert!(name.ends_with(&format!("_{ARCH}.whl")), "{name}");
    let bytes = fs::read(&made).unwrap();
    bench.wheel(&bench.target).expect(0);
    assert_eq!(bytes, fs::read(&made).unwrap(), "the same input gives other bytes");

    let venv = bench.folder.path().join("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv)).expect(0);
    let pip = |words: &[&str]| {
        let mut command = Command::new(venv.join("bin/pip"));
        command.args(words).env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", bench.packages());
        run(command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1"))
    };
    pip(&["install", "--quiet", NAME]).expect(0);
    runs(&venv.join("bin"));
    pip(&["uninstall", "--quiet", "--yes", NAME]).expect(0);
    assert!(!venv.join("bin/flow").exists() && !venv.join("bin").join(NAME).exists());

    fs::remove_file(made).unwrap();
    bench.wheel("aarch64-apple-darwin").expect(0);
    let refused = pip(&["install", "--quiet", NAME]).expect(1);
    assert!(refused.err.contains("No matching distribution"), "{refused:?}");
    let other = "riscv64gc-unknown-linux-gnu";
    for refused in [bench.wheel(other), bench.npm(other)].map(|ran| ran.expect(1)) {
        let wanted = format!("packaging/platforms has no line for {other}, only for: ");
        assert!(
            refused.err.contains(&wanted) && refused.err.contains(&bench.target),
            "{refused:?}"
        );
    }
}

#[test]
fn npm_installs_both_packages_and_the_launcher_runs_the_program_or_says_what_to_do() {
    if !has("python3") || !has("node") || !has("npm") {
        return;
    }
    let bench = Bench::new();
    let made = bench.npm(&bench.target).expect(0).out.trim().to_owned();
    let launcher = run(script("npm").arg(bench.packages())).expect(0).out.trim().to_owned();
    let there = bench.folder.path().join("there");
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix"])
        .arg(&there);
    let npm =
        npm.args([&launcher, &made]).env("npm_config_cache", bench.folder.path().join("cache"));
    run(npm.current_dir(bench.folder.path())).expect(0);
    runs(&there.join("node_modules/.bin"));

    let package = Path::new(&made).file_name().unwrap().to_str().unwrap();
    let package = package.strip_suffix(&format!("-{VERSION}.tgz")).unwrap();
    let folder = there.join("node_modules").join(package);
    let manifest: Value =
        serde_json::from_slice(&fs::read(folder.join("package.json")).unwrap()).unwrap();
    assert_eq!((&manifest["name"], &manifest["version"]), (&json!(package), &json!(VERSION)));
    assert_eq!((&manifest["os"], &manifest["libc"]), (&json!(["linux"]), &json!(["glibc"])));

    fs::remove_dir_all(folder).unwrap();
    let run_launcher = |node: &[&str]| {
        let file = there.join("node_modules").join(NAME).join("bin/flow.js");
        run(Command::new("node").args(node).arg(file).arg("--version")).expect(1).err
    };
    let missing = run_launcher(&[]);
    let remedy = format!("is missing; install it with: npm install {package}@{VERSION}");
    assert!(missing.contains(&remedy), "{missing}");
    let other = bench.folder.path().join("other.js");
    fs::write(&other, "Object.defineProperty(process, 'platform', { value: 'sunos' });").unwrap();
    let unknown = run_launcher(&["--require", other.to_str().unwrap()]);
    assert!(unknown.contains("there is no program for sunos-"), "{unknown}");
    assert!(
        unknown.contains("only for: linux-x64, ") && unknown.contains("cargo install"),
        "{unknown}"
    );
}

/// What cargo keeps of a workspace that it packaged: sources under a name of their own.
fn forget_packaged(sources: &Path) {
    for entry in fs::read_dir(sources).unwrap() {
        let folder = entry.unwrap().path();
        let is_local = folder.file_name().unwrap().to_string_lossy().starts_with('-');
        if is_local && folder.join(format!("{NAME}-model-{VERSION}")).exists() {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

#[test]
fn each_crate_is_packaged_from_its_own_folder_with_what_it_embeds() {
    if !has("python3") {
        return;
    }
    let bench = Bench::new();
    let copy = bench.folder.path().join("copy");
    run(script("crates").arg(&copy)).expect(0);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--workspace", "--locked", "--offline", "--no-verify", "--quiet"]);
    run(cargo.current_dir(&copy).env("CARGO_TARGET_DIR", copy.join("target"))).expect(0);
    let home = std::env::var("CARGO_HOME")
        .map_or_else(|_| Path::new(&std::env::var("HOME").unwrap()).join(".cargo"), PathBuf::from);
    forget_packaged(&home.join("registry/src"));
    for (part, wanted) in [
        ("", "src/main.rs"),
        ("-daemon", "web/index.html"),
        ("-files", "src/lib.rs"),
        ("-model", "src/lib.rs"),
        ("-plans", "src/lib.rs"),
        ("-skills", "skills/adr-template/SKILL.md"),
        ("-skills", "examples/demo/docs/09-agents/status.json"),
    ] {
        let folder = format!("{NAME}{part}-{VERSION}");
        let file = copy.join(format!("target/package/{folder}.crate"));
        let listed = run(Command::new("tar").arg("-tzf").arg(file)).expect(0).out;
        for path in [wanted, "LICENSE"] {
            assert!(
                listed.lines().any(|line| line == format!("{folder}/{path}")),
                "{folder}: {path}"
            );
        }
        assert!(!listed.contains("/.flow/"), "{folder}");
    }
}

/// What `packaging/build` writes for a platform, as far as a release needs it.
fn part(bench: &Bench, platform: &str) -> PathBuf {
    let part = bench.folder.path().join("parts").join(platform);
    let (name, file) =
        (format!("{NAME}-{VERSION}-{platform}"), format!("{NAME}-{VERSION}-{platform}.tar.gz"));
    fs::create_dir_all(part.join(&name).join("bin")).unwrap();
    fs::copy(&bench.program, part.join(&name).join("bin/flow")).unwrap();
    let make = format!("tar -czf {file} {name} && rm -r {name} && sha256sum -- * >SHA256SUMS");
    run(Command::new("sh").args(["-c", &make]).current_dir(&part)).expect(0);
    part
}

#[test]
fn a_release_has_the_parts_of_all_platforms_and_a_formula_with_their_checksums() {
    if !has("python3") || !has("ruby") {
        return;
    }
    let bench = Bench::new();
    let platforms = ["aarch64-macos", "x86_64-macos", "aarch64-linux", "x86_64-linux"];
    let parts = platforms.map(|platform| part(&bench, platform));
    let made = bench.folder.path().join("made");
    let release = || {
        let _ = fs::remove_dir_all(&made);
        let mut command = script("release");
        command.arg(bench.folder.path().join("parts")).arg(&made);
        run(command.args(["https://example.org/flow", "v1"]))
    };
    let sums = release().expect(0).out;
    let formula = made.join(format!("{NAME}.rb"));
    run(Command::new("ruby").arg("-c").arg(&formula)).expect(0);
    let formula = fs::read_to_string(formula).unwrap();
    for platform in platforms {
        let file = format!("{NAME}-{VERSION}-{platform}.tar.gz");
        let line = sums.lines().find(|line| line.ends_with(&format!("  {file}"))).unwrap();
        let (sum, _) = line.split_once(' ').unwrap();
        let url = format!("url \"https://example.org/flow/releases/download/v1/{file}\"");
        assert!(formula.contains(&format!("{url}\n      sha256 \"{sum}\"\n")), "{formula}");
    }
    for file in [format!("{NAME}-{VERSION}.tgz"), format!("{NAME}.rb"), "openapi.json".to_owned()] {
        assert!(sums.lines().any(|line| line.ends_with(&format!("  {file}"))), "{file}: {sums}");
    }

    fs::write(parts[0].join(format!("{NAME}-{VERSION}-{}.tar.gz", platforms[0])), "other").unwrap();
    let refused = release().expect(1);
    assert!(refused.err.contains("aarch64-macos is not what was built"), "{refused:?}");
    fs::remove_dir_all(&parts[0]).unwrap();
    let refused = release().expect(1);
    assert!(refused.err.contains("do not name planwatch-"), "{refused:?}");
}

/// An address that does not exist, for one request.
fn nothing_there() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/openapi.json", listener.local_addr().unwrap());
    thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let _ = stream.read(&mut [0; 1024]).unwrap();
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    address
}

#[test]
fn what_the_api_loses_is_found_before_a_release() {
    if !has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (last, new) = (folder.path().join("last.json"), folder.path().join("new.json"));
    let document: Value =
        serde_json::from_slice(&Live::new().get("/api/openapi.json").body).unwrap();
    fs::write(&last, document.to_string()).unwrap();
    let compare = |change: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        change(&mut changed);
        fs::write(&new, changed.to_string()).unwrap();
        run(script("compare-api").args([&last, &new]))
    };
    let more = |document: &mut Value| {
        document["components"]["schemas"]["Agent"]["properties"]["another"] =
            json!({"type": "string"});
    };
    compare(&more).expect(0);
    let less = |document: &mut Value| {
        document["paths"].as_object_mut().unwrap().remove("/api/metrics").unwrap();
        document["paths"]["/api/tasks"]["get"]["parameters"].as_array_mut().unwrap().remove(0);
        let agent = &mut document["components"]["schemas"]["Agent"];
        agent["properties"].as_object_mut().unwrap().remove("more").unwrap();
        agent["properties"]["id"] = json!({"type": ["string", "null"]});
    };
    let found = compare(&less).expect(1);
    for line in [
        "GET /api/metrics is gone",
        "GET /api/tasks: parameter state is gone",
        "Agent.more is gone",
        "Agent.id may be null now",
    ] {
        assert!(found.out.lines().any(|found| found == line), "{line}: {found:?}");
    }
    assert!(found.err.contains("docs/stability.md"), "{found:?}");
    compare(&|document| {
        less(document);
        document["info"]["version"] = json!("1.0.0");
    })
    .expect(0);
    let first = run(script("compare-api").arg(nothing_there()).arg(&new)).expect(0);
    assert!(first.out.contains("there is no release yet"), "{first:?}");
}
