//! `deployment-guide-generator`: every shell block passes `bash -n`, each step has a rollback, and the Markdown is
//! clean.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make};
use crate::support::{Project, fed};

const NAME: &str = "deployment-guide-generator";

/// The guide, and each shell block as the body of a function for bash to parse.
#[track_caller]
fn made(fields: Value) -> String {
    make(NAME, fields).unwrap().artifacts[0].text.clone()
}

fn blocks(text: &str) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), None::<String>);
    for line in text.lines() {
        match &open {
            None if line.ends_with("bash") && line.starts_with("```") => {
                open = Some(line.trim_end_matches("bash").to_owned());
                found.push(String::new());
            }
            Some(fence) if line == fence => open = None,
            Some(_) => writeln!(found.last_mut().unwrap(), "{line}").unwrap(),
            None => {}
        }
    }
    found
}

#[track_caller]
fn bash_reads(scripts: &[String]) {
    let Some(bash) = judge::find("bash") else { return };
    for script in scripts {
        let output = fed(Command::new(&bash).arg("-n"), script.as_bytes());
        assert!(output.status.success(), "{}{script}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn every_target_is_clean_and_can_be_rolled_back() {
    let mut texts = vec![example_output(NAME).artifacts[0].text.clone()];
    for target in ["systemd", "docker compose", "kubernetes", "static site"] {
        let text = made(json!({"target": target, "health": "http://x/'$(id)'"}));
        let steps = text.matches("### Step ").count();
        let back = text.matches("### Roll back step ").count();
        // The target's first step looks only, as do checks further on; what changes something can be rolled back.
        assert!(
            steps >= 3 && back >= 1 && (back == steps || text.contains(" nothing to roll back.\n")),
            "{text}"
        );
        assert!(!text.contains("\ntrue"), "a command that does nothing: {text}");
        let verify = find(NAME).unwrap().verify.unwrap();
        assert_eq!(verify(&text, &context(Path::new("."))), [], "{text}");
        texts.push(text);
    }
    texts.push(made(json!({
        "target": "mars", "service": HOSTILE.join(" "), "health": "true",
        "env": [{"name": "A", "description": HOSTILE.join("\n"), "example": HOSTILE.join(" "), "required": false}, "B=1: b"],
        "steps": [
            {"name": HOSTILE.join("\n"), "command": "$ echo 'a```b' \\\n\t&& echo \"$(ls | wc -l)\" > out 2>&1", "verify": "true", "rollback": "true"},
            {"command": "# why\nmake deploy", "verify": "test -f x", "rollback": "rm -f x"},
        ],
    })));
    let scripts: Vec<String> = texts.iter().flat_map(|text| blocks(text)).collect();
    assert!(scripts.len() > 60, "{}", scripts.len());
    bash_reads(&scripts);
    judge::markdown(&texts);
}

/// A guide with own steps, of which two have no rollback and one no check.
const OWN_STEPS: &str = "# Deploy to the mill

## Steps

When a check fails, stop; Rollback and Troubleshooting are below.

### Step 1: make test

```bash
make test
```

The command fails when something is wrong; it needs no other check.

### Step 2: make deploy

```bash
make deploy
```

Check it:

```bash
make check
```

### Step 3: make tell

```bash
make tell
```

Check it:

```bash
make health
```

## Rollback

Begin with the last step that was run, and continue in reverse order.

Steps 1 and 3 have nothing to roll back.

### Roll back step 2: make deploy

```bash
make undo
```

## Verification

Run the check of each step again, from the first to the last. The deployment is complete when all of them succeed.

## Troubleshooting

### A check fails

Run the command of its step again, and read its output. If the check fails again, go to Rollback.
";

#[test]
fn the_old_version_starts_with_the_old_environment() {
    let fields = json!({"target": "systemd", "service": "shop", "env": ["PORT=8080"]});
    let text = make(NAME, fields).unwrap().artifacts[0].text.clone();
    let (_, rollback) = text.split_once("\n## Rollback\n").unwrap();
    let place = |part: &str| rollback.find(part).unwrap();
    assert!(place(".env.previous") < place("systemctl start"), "{rollback}");
    assert!(place("/current\"") < place("systemctl start"), "{rollback}");
}

/// A `docker` whose one container keeps its environment in `running`, and a secret in `run/secrets/API_TOKEN`.
const DOCKER: &str = r#"#!/bin/bash
case "$*" in
  "compose ps --all --quiet shop") [ ! -f running ] || echo 0123 ;;
  "inspect --format "*" 0123") cat running ;;
  "compose cp shop:/run/secrets/"*) tar -c -C run/secrets "${3##*/}" ;;
  "compose up --detach --no-deps --wait shop")
    printf '%s\n' "PATH=/bin" ${GREETING+"GREETING=$GREETING"} ${NEW+"NEW=$NEW"} "VERSION=$VERSION" > running
    mkdir -p run/secrets; printf '%s' "$API_TOKEN" > run/secrets/API_TOKEN ;;
  *) exit 9 ;;
esac
"#;

#[test]
fn a_container_of_the_old_version_gets_the_old_environment() {
    if !judge::are_there(&["bash", "tar", "sed"]) {
        return;
    }
    let fields = json!({"target": "docker compose", "service": "shop", "env": ["GREETING", "NEW", "API_TOKEN"]});
    let text = made(fields);
    let block = |title: &str| {
        let (_, after) = text.split_once(title).unwrap_or_else(|| panic!("{title}\n{text}"));
        blocks(after).swap_remove(0)
    };
    let start = "Start the new version with the new environment\n";
    let (record, up) = (block(": Record the running environment\n"), block(start));
    let (_, rollback) = text.split_once("\n## Rollback\n").unwrap();
    let back = blocks(rollback.split_once(start).unwrap().1).swap_remove(0);
    let project = Project::new();
    project.write("bin/docker", DOCKER);
    let run = |script: &str| {
        let head = "chmod +x bin/docker; export PATH=\"$PWD/bin:$PATH\" SERVICE=shop VERSION=2 PREVIOUS_VERSION=1";
        let mut bash = Command::new("bash");
        bash.args(["-e", "-o", "pipefail", "-c", &format!("{head}\n{script}")]);
        let output = bash.current_dir(&project.root).output().unwrap();
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
        let state = ["running", "run/secrets/API_TOKEN"];
        state.map(|file| std::fs::read_to_string(project.root.join(file)).unwrap())
    };
    let old = "export GREETING=\"it's \\$1 & \\\\ more\" API_TOKEN=\"o'ld\"";
    let before = run(&format!("{old}\nVERSION=1 docker compose up --detach --no-deps --wait shop"));
    let new = "export GREETING=hello NEW=x API_TOKEN=new";
    let after = run(&format!("{new}\n{record}\n{up}"));
    assert!(after[0].contains("GREETING=hello\nNEW=x\nVERSION=2\n"), "{after:?}");
    // In another shell, which has the new environment too.
    assert_eq!(before, run(&format!("{new}\n{back}")), "{back}");
}

#[test]
fn a_step_without_a_rollback_or_a_check_says_so_once() {
    let step = |command: &str, verify: &str, rollback: &str| json!({"command": command, "verify": verify, "rollback": rollback});
    let steps = [
        step("make test", "true", "true"),
        step("make deploy", "make check", "make undo"),
        step("make tell", "true", "true"),
    ];
    let text = made(json!({"target": "the mill", "steps": steps, "health": "make health"}));
    assert_eq!(text, OWN_STEPS);
    let verify = find(NAME).unwrap().verify.unwrap();
    let found = |text: &str| verify(text, &context(Path::new(".")));
    assert_eq!(found(&text), []);
    let what = found(&text.replace("Steps 1 and 3 have", "Step 3 has"));
    assert!(
        what.len() == 1 && what[0].what.contains("`Step 1 has nothing to roll back.`"),
        "{what:?}"
    );
}

#[test]
fn what_is_given_stands_in_the_steps() {
    let k8s = made(json!({
        "target": "k8s", "service": "shop", "image": "ghcr.io/example/shop:1.4.0", "health": "https://x.example/health",
        "env": ["PORT=8080: where it listens", {"name": "SIGNATURE", "secret": true}, "NAMESPACE=prod"],
    }));
    for part in [
        "# Deploy shop to kubernetes\n",
        "export NAMESPACE='prod'\nexport DEPLOYMENT='shop'\nexport CONTAINER='shop'\nexport IMAGE='ghcr.io/example/shop:1.4.0'\n: \"${NEW_SECRET:?}\"\nexport PORT='8080'\n: \"${SIGNATURE:?}\"\n```",
        "--containers \"$CONTAINER\" \"PORT=$PORT\"\n",
        "--from \"secret/$NEW_SECRET\" --keys 'SIGNATURE'\n",
        "--timeout 60s\ncurl --fail --silent --show-error --max-time 10 --retry 5 --retry-all-errors 'https://x.example/health'\n",
    ] {
        assert!(k8s.contains(part), "{part}\n{k8s}");
    }
    let compose = made(
        json!({"target": "docker-compose", "service": "shop", "image": "a/shop:2.0", "env": ["PORT"]}),
    );
    for part in [
        "export VERSION='2.0'\n",
        "grep -Fxq -- \"$IMAGE\"\n",
        "test -n \"$PORT\"\n",
        ": \"${PREVIOUS_VERSION:?}\"\n",
    ] {
        assert!(compose.contains(part), "{part}\n{compose}");
    }
    let systemd = made(json!({"target": "systemd", "env": ["A", "B"], "version": "3"}));
    for part in ["printf '%s\\n' \"A=$A\" |", "printf '%s\\n' \"B=$B\" |", "export VERSION='3'\n"] {
        assert!(systemd.contains(part), "{part}\n{systemd}");
    }
    bash_reads(&[k8s, compose, systemd].iter().flat_map(|text| blocks(text)).collect::<Vec<_>>());
}

#[test]
fn what_may_be_a_secret_is_no_description() {
    let with = |env: &str| {
        let fields = json!({"target": "kubernetes", "service": "shop", "env": [env]});
        make(NAME, fields)
    };
    let values = [
        "DATABASE_URL: postgres://ada:hunter2@db/shop",
        "API_KEY: sk_live_1",
        "CACHE: redis://:hunter2@db",
    ];
    for env in values {
        let error = with(env).unwrap_err().to_string();
        assert!(error.contains("must be NAME=value, or a description of several words"), "{error}");
    }
    for env in ["API_KEY: the key of the payment service", "LOG_LEVEL: info", "CACHE: redis://db"] {
        with(env).unwrap();
    }
}

#[test]
fn a_password_goes_into_a_secret_and_its_value_nowhere() {
    let env = json!([
        "PORT=8080", "DB_PASSWORD=hunter2", "DATABASE_URL=postgres://ada:hunter2@db/shop", "MIRROR=https://ada:hunter2@x.example",
        {"name": "SIGNATURE", "secret": true, "value": "hunter2", "example": "hunter2"},
        {"name": "SORT_KEY", "secret": false, "value": "name"}, {"name": "PASSWORD_LENGTH", "value": "12"},
    ]);
    let secrets = ["DB_PASSWORD", "DATABASE_URL", "MIRROR", "SIGNATURE"];
    for target in ["kubernetes", "docker compose", "systemd", "static site"] {
        let fields =
            json!({"target": target, "service": "shop", "image": "a/shop:2.0", "env": env});
        let fields = if matches!(target, "kubernetes" | "docker compose") {
            fields
        } else {
            json!({"target": target, "env": env})
        };
        let output = make(NAME, fields).unwrap();
        let text = &output.artifacts[0].text;
        assert!(!format!("{text}{:?}{}", output.notes, output.data).contains("hunter2"), "{text}");
        for name in secrets {
            assert!(text.contains(&format!("- `{name}` (required, secret)\n")), "{name}\n{text}");
            assert!(!text.contains(&format!(
                "set env \"deployment/$DEPLOYMENT\" --containers \"$CONTAINER\" \"{name}="
            )));
        }
        assert!(text.contains("export SORT_KEY='name'\nexport PASSWORD_LENGTH='12'\n"), "{text}");
        bash_reads(&blocks(text));
    }
    let text = made(json!({"target": "kubernetes", "env": ["PORT", "DB_PASSWORD", "API_TOKEN"]}));
    for part in [
        "- `NEW_SECRET` (required): ",
        "printf '%s\\n' \\\n  \"DB_PASSWORD=$DB_PASSWORD\" \\\n  \"API_TOKEN=$API_TOKEN\" \\\n  | kubectl --namespace \"$NAMESPACE\" create secret generic \"$NEW_SECRET\" --from-env-file /dev/stdin\n",
        "set env \"deployment/$DEPLOYMENT\" --containers \"$CONTAINER\" --from \"secret/$NEW_SECRET\" --keys 'API_TOKEN'\n",
        "\"$CONTAINER\" \"PORT=$PORT\"\n",
        "kubectl --namespace \"$NAMESPACE\" delete secret \"$NEW_SECRET\"\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let plain = made(json!({"target": "kubernetes", "env": ["PORT"]}));
    assert!(!plain.contains("NEW_SECRET"), "{plain}");
    let note =
        make(NAME, json!({"target": "systemd", "env": ["API_TOKEN=hunter2"]})).unwrap().notes;
    assert_eq!(
        note,
        [
            "API_TOKEN is taken as a secret, so its value is left out ({\"name\": \"API_TOKEN\", \"secret\": false} keeps it)"
        ]
    );
}

#[test]
fn a_title_repeats_nothing() {
    let title = |fields: Value| made(fields).lines().next().unwrap().to_owned();
    let step = json!([{"command": "a", "verify": "b", "rollback": "c"}]);
    assert_eq!(title(json!({"target": "Kubernetes"})), "# Deploy to kubernetes");
    assert_eq!(
        title(json!({"target": "nginx", "service": "Deploy docs"})),
        "# Deploy docs to static site"
    );
    assert_eq!(
        title(json!({"target": "Deploy to the moon", "steps": step})),
        "# Deploy to the moon"
    );
}

#[test]
fn text_labels_and_words_go_together() {
    let skill = find(NAME).unwrap();
    let request = Request {
        contents: vec![
            b"Deploy to: kubernetes\nService: shop\nEnvironment:\n- A\n- B=1: b\n".to_vec(),
        ],
        pairs: vec![("image".to_owned(), "shop:1".to_owned())],
        ..Request::default()
    };
    let output = skill.run(&skill.place(&request).unwrap(), &context(Path::new("."))).unwrap();
    let text = &output.artifacts[0].text;
    assert!(
        text.starts_with("# Deploy shop to kubernetes\n")
            && text.contains("export IMAGE='shop:1'\n"),
        "{text}"
    );
    assert!(text.contains("- `A` (required)\n- `B` (required): b\n"), "{text}");
    assert!(text.contains(": \"${NAMESPACE:?}\"\n") && text.contains("export B='1'\n"), "{text}");
    let sentence = Request {
        contents: vec![b"roll out billing with docker compose".to_vec()],
        ..Request::default()
    };
    let form = skill.run(&skill.place(&sentence).unwrap(), &context(Path::new("."))).unwrap();
    let note = "docker compose is known by its name alone: target=\"docker compose\" service=NAME";
    assert_eq!(form.notes, [note]);
}

/// Any other target has every section, with what was given and blanks for the rest.
#[test]
fn another_target_is_a_form_with_blanks() {
    let fields = json!({"target": "mars", "service": "shop", "version": "2", "env": ["PORT=80"], "health": "make health"});
    let text = made(fields);
    for part in [
        "# Deploy shop to mars\n",
        "export VERSION='2'\nexport PORT='80'\n",
        "```bash\n<the command that installs the new version and its environment>\n```",
        "### Roll back step 3: Start the new version\n",
        "Check it:\n\n```bash\nmake health\n```",
        "## Verification\n",
        "## Troubleshooting\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let verify = find(NAME).unwrap().verify.unwrap();
    let found = verify(&text, &context(Path::new(".")));
    assert_eq!(found.len(), text.matches("\n<").count(), "{found:?}");
    assert!(found.iter().all(|one| one.what.contains("is a blank")), "{found:?}");
    judge::markdown(&[text]);
}

#[test]
fn of_an_environment_file_only_the_names_are_used() {
    let project = Project::new();
    let file = "# all of it\nexport DATABASE_URL=postgres://ada:hunter2@db/shop\nAPI_KEY=\"sk-hunter2\nmore-hunter2\"\n\nPORT=8080\nPORT=80\nEMPTY=\n";
    project.write(".env", file);
    let guide =
        project.flow(&["skill", NAME, "--input", ".env", "systemd", "service=shop"]).expect(0);
    for (name, is_secret) in
        [("DATABASE_URL", true), ("API_KEY", true), ("PORT", false), ("EMPTY", false)]
    {
        let line = format!("\n- `{name}` (required{})\n", if is_secret { ", secret" } else { "" });
        assert_eq!(guide.out.matches(&line).count(), 1, "{name}: {}", guide.out);
    }
    let json = project.flow(&["skill", NAME, "--input", ".env", "systemd", "--json"]).expect(0);
    // A line that sets nothing is named by its number only.
    project.write("bad.env", &format!("{file}hunter2\n"));
    let bad = project
        .flow(&["skill", NAME, "--input", "bad.env", "--as", "dotenv", "target=systemd"])
        .expect(2);
    assert!(
        bad.err.contains("line 9 of the environment variables is not NAME=value"),
        "{}",
        bad.err
    );
    let many = (0..1001).map(|at| format!("V{at}=hunter2")).collect::<Vec<_>>().join("\n");
    project.write("many.env", &many);
    let many = project.flow(&["skill", NAME, "--input", "many.env", "target=systemd"]).expect(2);
    assert!(many.err.contains("over 1000 environment variables"), "{}", many.err);
    for text in [&guide.out, &guide.err, &json.out, &json.err, &bad.err, &many.err] {
        assert!(!text.contains("hunter2") && !text.contains("8080"), "{text}");
    }
}

#[test]
fn bad_input_is_named() {
    let field = |fields: Value| match make(NAME, fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({})), "target");
    assert_eq!(field(json!({"target": "systemd", "image": "shop:1"})), "image");
    assert_eq!(field(json!({"target": "x", "steps": [{"command": "a"}]})), "steps[0].verify");
    assert_eq!(
        field(json!({"target": "x", "steps": [{"command": "a", "verify": "b"}]})),
        "steps[0].rollback"
    );
    assert_eq!(field(json!({"target": "systemd", "env": ["1A"]})), "env[0]");
    assert_eq!(field(json!({"target": "systemd", "env": ["A", "A"]})), "env[1].name");
}
