//! Inputs as people write them: what is given stands in the output, and what cannot be read is refused with what to
//! write instead.

use std::fs;

use flow::skill::input::notation::arrows::{self, Chain};
use flow::skill::input::notation::errors;
use flow::skill::output::Output;
use serde_json::{Value, json};

use super::commits::repository;
use super::making::{context, make, make_in, place};
use crate::support::Project;

fn text(output: &Output) -> &str {
    &output.artifacts[0].text
}

#[track_caller]
fn refused(skill: &str, text: &str, pairs: &[(&str, &str)]) -> String {
    place(skill, text, pairs).map(|output| output.artifacts).unwrap_err().to_string()
}

#[test]
fn text_beside_the_field_that_it_would_set_is_refused_not_dropped() {
    let deploy = refused(
        "deployment-guide-generator",
        "kubernetes\n",
        &[("target", "kubernetes"), ("service", "web")],
    );
    assert_eq!(
        deploy,
        "target is given twice, as target=… and as text or a file; give one of them"
    );
    let cases =
        refused("error-handler-template", "user not found 404", &[("cases", "conflict 409")]);
    assert_eq!(cases, "cases is given twice, as cases=… and as text or a file; give one of them");
}

#[test]
fn what_git_log_prints_is_refused_with_what_to_give_instead() {
    let log = format!("commit {}\nAuthor: A <a@x.org>\nDate: x\n\n    feat: a\n", "a1".repeat(20));
    for skill in ["changelog-entry", "pr-description", "commit-message-formatter"] {
        assert_eq!(
            refused(skill, &log, &[]),
            "the input is what `git log` prints; give the range instead, such as main..HEAD, or what `git log --format=%s` prints",
            "{skill}"
        );
    }
}

#[test]
fn a_bulleted_list_is_text_and_no_option() {
    let project = Project::new();
    let list = "- user not found (404)\n- payment declined: 402";
    let ran = project.flow(&["skill", "error-handler-template", list, "language=python"]).expect(0);
    assert!(ran.out.contains("class UserNotFoundError(AppError):"), "{}", ran.out);
    assert!(ran.out.contains("status = 402"), "{}", ran.out);
    project.flow(&["skill", "error-handler-template", "-x"]).expect(2);
}

#[test]
fn an_arrow_leads_to_each_of_several_nodes() {
    let edges = |text: &str| -> Vec<String> {
        let shown = |chain: Chain| {
            let to: Vec<&str> = chain.rest.iter().map(|(_, node)| node.name.as_str()).collect();
            format!("{}>{}:{}", chain.first.name, to.join(">"), chain.label.unwrap_or_default())
        };
        arrows::read(text).unwrap().into_iter().map(shown).collect()
    };
    assert_eq!(
        edges("lb -> web-1, web-2 -> db [data]: SQL, TLS"),
        ["lb>web-1:", "lb>web-2:", "web-1>db:SQL, TLS", "web-2>db:SQL, TLS"]
    );
    assert_eq!(edges("a, b; c -> \"d, e\""), ["a>:", "b>:", "c>d, e:"]);
    let many = vec!["n"; 100].join(",");
    let misfit = arrows::read(&format!("{many} -> {many}")).unwrap_err();
    assert_eq!(misfit.why, "is over the limit of 2000 arrows");
}

#[test]
fn a_status_stands_where_people_put_it() {
    for form in
        ["user not found 404", "user not found: 404", "user not found (404)", "404 user not found"]
    {
        let found = errors::read(&format!("{form}, conflict: 409: Reload, please")).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|own| (own.name.as_str(), own.status, own.message.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [("user not found", 404, None), ("conflict", 409, Some("Reload, please"))],
            "{form}"
        );
    }
    assert_eq!(errors::headed("conflict: 409, gone: 410").0, None);
    assert_eq!(errors::headed("python: 404 not found").0, Some("python"));
}

#[test]
fn a_code_without_a_message_has_its_own_words() {
    let made = make(
        "error-handler-template",
        json!({"cases": "ORDER_ALREADY_PAID 409; UserNotFound 404"}),
    );
    let made = made.unwrap();
    assert_eq!(made.data["cases"][0]["message"], "Order already paid.");
    assert_eq!(made.data["cases"][1]["message"], "User not found.");
}

#[test]
fn an_enum_has_each_word_between_commas_or_bars() {
    for list in ["enum(admin,user)", "enum(admin|user)", "enum('admin', 'user')"] {
        let source = format!("User: id uuid pk, role {list}");
        let made = place("sql-schema-generator", &source, &[]).unwrap();
        assert!(
            text(&made).contains("CHECK (role IN ('admin', 'user'))"),
            "{list}: {}",
            text(&made)
        );
    }
}

#[test]
fn a_list_of_postgresql_keeps_its_default_in_other_databases() {
    let sql = "CREATE TABLE t (id bigint PRIMARY KEY, a text[] DEFAULT '{}'::text[] NOT NULL, b integer[] DEFAULT '{1,2}', c text[] DEFAULT ARRAY[]::text[]);";
    let made = place("sql-schema-generator", sql, &[("dialect", "sqlite")]).unwrap();
    for line in ["a TEXT NOT NULL DEFAULT '[]'", "b TEXT DEFAULT '[1,2]'"] {
        assert!(text(&made).contains(line), "{line}: {}", text(&made));
    }
}

#[test]
fn a_path_alone_is_no_health_check() {
    let fault = refused("deployment-guide-generator", "kubernetes", &[("health", "/healthz")]);
    assert!(
        fault.contains("https://shop.example/healthz") && fault.contains("sh /healthz"),
        "{fault}"
    );
}

const FILE: &str = "# Changelog\n\n## [1.3.0] - 2024-02-01\n\n\n### Added\n\n* add search ([abc](https://example.org/a/b/commit/abc))\n";

#[test]
fn a_changelog_that_is_input_and_output_is_extended_in_place() {
    let project = Project::new();
    project.write("CHANGELOG.md", FILE);
    let words = [
        "skill",
        "changelog-entry",
        "--input",
        "CHANGELOG.md",
        "Fixed: a crash",
        "--out",
        "CHANGELOG.md",
    ];
    project.flow(&words).expect(0);
    let after = fs::read_to_string(project.root.join("CHANGELOG.md")).unwrap();
    assert!(
        after.contains("a crash") && after.ends_with(FILE.split_once("\n\n## ").unwrap().1),
        "{after}"
    );
    project.write("other.md", "# Changelog\n");
    let words =
        ["skill", "changelog-entry", "--input", "CHANGELOG.md", "Fixed: x", "--out", "other.md"];
    project.flow(&words).expect(1);
}

#[test]
fn a_subject_with_a_heading_as_its_type_is_entered() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    for subject in ["start", "security: close a hole", "deprecate the v1 API", "wip"] {
        git(&["commit", "-q", "--allow-empty", "-m", subject]);
    }
    let made =
        make_in("changelog-entry", json!({"range": "HEAD~3..HEAD"}), &context(folder.path()))
            .unwrap();
    assert_eq!(text(&made), "## [Unreleased]\n\n### Security\n\n- Close a hole\n");
    assert_eq!(made.open.len(), 2, "{:?}", made.open);
}

fn parameters(made: &Output, path: &str, method: &str) -> Value {
    made.data["paths"][path][method]["parameters"].clone()
}

#[test]
fn a_path_parameter_has_the_type_of_the_key_that_it_names() {
    let api = "GET /users/{id} -> User\nDELETE /users/{id} 204\nGET /users/{id}/orders/{orderId} -> Order\nGET /orders/{id} -> Order\nGET /tags/{id} -> Tag[]\nUser: id uuid pk\nOrder: id int pk\nTag: id int pk";
    let made = place("api-documentation-generator", api, &[]).unwrap();
    let schema = |path: &str, method: &str| parameters(&made, path, method)[0]["schema"].clone();
    let uuid = json!({"type": "string", "format": "uuid"});
    assert_eq!(schema("/users/{id}", "get"), uuid);
    assert_eq!(schema("/users/{id}", "delete"), uuid);
    // The id in the middle is the user's.
    assert_eq!(schema("/users/{id}/orders/{orderId}", "get"), uuid);
    assert_eq!(schema("/orders/{id}", "get"), json!({"type": "integer"}));
    // A list has no such key.
    assert_eq!(schema("/tags/{id}", "get"), json!({"type": "string"}));
}

#[test]
fn a_path_parameter_is_that_of_the_document() {
    let document = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n  /pets/{petId}:\n    parameters:\n      - $ref: '#/components/parameters/Pet'\n    get: {responses: {'200': {description: OK}}}\ncomponents:\n  parameters:\n    Pet: {name: petId, in: path, required: true, schema: {type: integer}}\n";
    let fields = json!({"merge": document, "endpoints": "DELETE /pets/{petId} 204"});
    let made = make("api-documentation-generator", fields).unwrap();
    assert_eq!(parameters(&made, "/pets/{petId}", "delete"), Value::Null);
    assert_eq!(
        made.data["paths"]["/pets/{petId}"]["delete"]["responses"].as_object().unwrap().len(),
        3
    );
}

#[test]
fn a_rename_is_written_as_an_arrow() {
    let older = ("older", "User: id uuid pk, email string");
    for renames in ["users.email -> mail", "users.email -> users.mail"] {
        let pairs = [older, ("renames", renames)];
        let made = place("sql-schema-generator", "User: id uuid pk, mail string", &pairs).unwrap();
        assert!(text(&made).contains("RENAME COLUMN email TO mail"), "{}", text(&made));
        assert!(text(&made).lines().all(|line| !line.ends_with(' ')), "{}", text(&made));
    }
    let made = place("sql-schema-generator", "User: id uuid pk, mail string", &[older]).unwrap();
    assert!(text(&made).contains("ALTER TABLE users\n  ADD COLUMN mail"), "{}", text(&made));
    let pairs = [older, ("renames", "email to mail")];
    let fault = refused("sql-schema-generator", "User: id uuid pk, mail string", &pairs);
    assert!(fault.contains("a rename such as `users -> people`"), "{fault}");
}

#[test]
fn an_endpoint_that_the_document_has_adds_nothing() {
    let document = "openapi: 3.0.3\ninfo:\n  title: Shop\n  version: \"1\"\npaths:\n  /orders:\n    get:\n      responses:\n        \"200\":\n          description: Orders\n";
    let made = make(
        "api-documentation-generator",
        json!({"merge": document, "endpoints": "GET /orders -> Basket[] 409"}),
    )
    .unwrap();
    assert_eq!(text(&made), document);
    assert_eq!(made.open, [""; 0]);
    assert_eq!(
        made.notes,
        ["GET /orders stays as the document has it", "nothing to add: the document has all of it"]
    );
    let made = make("api-documentation-generator", json!({"endpoints": "GET /health: liveness"}));
    assert_eq!(
        made.unwrap().data["paths"]["/health"]["get"]["responses"],
        json!({"200": {"description": "OK"}})
    );
}

#[test]
fn a_document_of_swagger_2_is_named() {
    let swagger = "swagger: \"2.0\"\ninfo: {title: Old, version: \"1\"}\npaths: {}\n";
    let fault = refused("api-documentation-generator", swagger, &[("endpoints", "GET /health")]);
    assert_eq!(fault, "the document is Swagger 2.0; convert it to OpenAPI 3 first");
}

#[test]
fn a_mark_in_a_text_is_no_comment() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
    write("a.py", "x = \"# TODO no\"\ny = \"a\"  # TODO: yes\n");
    write("b.ts", "const t = `// TODO: no`;\n// TODO(bob): handle \"it\"\n");
    write("c.sh", "echo \"# TODO no\" # FIXME it's slow\n");
    let made =
        make_in("tech-debt-register", json!({"scan": ["."]}), &context(folder.path())).unwrap();
    let is_row =
        |line: &&str| ["| a.py", "| b.ts", "| c.sh"].iter().any(|row| line.starts_with(row));
    let rows: Vec<&str> = text(&made).lines().filter(is_row).collect();
    assert_eq!(
        rows,
        [
            "| a.py:2 | TODO | yes |",
            "| b.ts:2 | TODO | handle \"it\" (bob) |",
            "| c.sh:1 | FIXME | it's slow |",
        ]
    );
}

#[test]
fn columns_that_lose_the_same_have_one_note() {
    let sample = "{\"id\": 1, \"a\": [1], \"b\": [2], \"c\": {\"x\": 1}}";
    let made = place("sql-schema-generator", sample, &[("name", "Thing")]).unwrap();
    let note =
        "things.a, things.b, things.c: what is inside the JSON is not checked by the database";
    assert_eq!(made.notes.iter().filter(|own| own.as_str() == note).count(), 1, "{:?}", made.notes);
    assert_eq!(made.notes.iter().filter(|own| own.contains("inside the JSON")).count(), 1);
}

#[test]
fn words_that_engineers_type_are_understood() {
    let item = "Item: id serial pk, price numeric(9,2), qty smallint, cost money, at timestamptz, j jsonb, n varchar(255)";
    let columns = [
        "id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "price numeric(9,2)",
        "qty smallint",
        "cost numeric",
        "at timestamptz",
        "j jsonb",
        "n varchar(255)",
    ];
    for dialect in ["pg", "postgres", "postgresql", "PostgreSQL"] {
        let made = place("sql-schema-generator", item, &[("dialect", dialect)]).unwrap();
        let text = &made.artifacts[0].text;
        assert!(columns.iter().all(|column| text.contains(column)), "{dialect}: {text}");
    }
    for (field, word, part) in [
        ("auth", "jwt", "bearerFormat: JWT"),
        ("security", "Bearer", "scheme: bearer"),
        ("security", "api-key", "name: X-API-Key"),
    ] {
        let made = place("api-documentation-generator", "GET /todos", &[(field, word)]).unwrap();
        assert!(made.artifacts[0].text.contains(part), "{field}={word}");
    }
}
