//! Messages of skills: names, input, output, a project's templates.

use std::fs;

use super::{Case, case};

const NOTE: &str = ".claude/skills/note.md.tera";

/// A template whose output has no end within its limits.
const ENDLESS: &str = "{% for a in range(end=99999) %}{% for b in range(end=99999) %}{{ x }}{% endfor %}{% endfor %}\n";

pub(super) const CASES: &[Case] = &[
    case("A skill that is misspelt", "flow skill adr-tempalte 'Use a queue'", 2),
    case("A skill whose name is shortened", "flow skill type-defs 'User: id uuid pk'", 2),
    case("A verb that is misspelt", "flow skill lisst", 2),
    case("A verb that accepts no name", "flow skill list adr-template", 2),
    case("A verb without its name", "flow skill show", 2),
    case("`add` without a path", "flow skill add", 2),
    case("`chain` without names", "flow skill chain", 2),
    case("`verify` of a skill without a check", "flow skill verify diagram-generator x.md", 2),
    case("A field that is missing", "flow skill adr-template status=accepted", 2),
    case("A skill without any input", "flow skill adr-template", 2),
    case("An unknown field", "flow skill adr-template titel='Use a queue'", 2),
    case("A value that is not allowed", "flow skill adr-template 'Use a queue' status=maybe", 2),
    case("A value of the wrong type", "flow skill story-skeleton 'Search by author' points=many", 2),
    case("An unknown type in the notation", "flow skill type-definitions 'User: id uuid pk, email strnig'", 2),
    case("A debt that is only a path", "flow skill tech-debt-register docs/", 2),
    case("A figure without its debt", "flow skill tech-debt-register 'Impact: 4'", 2),
    case("A table in place of lines", "flow skill tech-debt-register '| what | impact |'", 2),
    case("An input file that does not exist", "flow skill adr-template --input decision.md", 2),
    case("An input that is a folder", "flow skill adr-template --input docs", 2),
    case("An input that is not JSON", "flow skill adr-template --input decision.json", 2)
        .files(&[("decision.json", "{\"title\": }")]),
    case("A key that is given twice", "flow skill adr-template --input decision.json", 2)
        .files(&[("decision.json", "{\"title\": 1, \"title\": 2}")]),
    case("An input that is not YAML", "flow skill adr-template --as fields --input decision.yaml", 2)
        .files(&[("decision.yaml", "title: [")]),
    case("An input that is not text", "flow skill adr-template --input decision.md", 2)
        .with(|scene| fs::write(scene.project.root.join("decision.md"), b"a\xff").unwrap()),
    case("An input that is too large", "flow skill adr-template --input decision.md", 2)
        .with(|scene| scene.project.write("decision.md", &"a".repeat(20 << 20))),
    case("Content that the skill does not accept", "flow skill changelog-entry --input schema.sql", 2)
        .files(&[("schema.sql", "CREATE TABLE users (id integer);")]),
    case("A change without its type", "flow skill commit-message-formatter --input commit.md", 2)
        .files(&[("commit.md", "Summary: fix the crash\nmore text that has no label\n")]),
    case("A staged change outside of a git repository", "flow skill commit-message-formatter", 2),
    case("A `.git` that names a repository of another folder", "flow skill commit-message-formatter", 2)
        .files(&[(".git", "gitdir: ../other/.git")]),
    case("A repository that is a link in part", "flow skill commit-message-formatter", 2)
        .with(|scene| scene.shell("git init -q && mv .git/objects kept && ln -s ../kept .git/objects")),
    case("A repository with objects of another one", "flow skill commit-message-formatter", 2)
        .with(|scene| scene.shell("git init -q && echo ../../../other/.git/objects > .git/objects/info/alternates")),
    case("Content as arguments and as a file", "flow skill type-definitions 'User: id uuid' --input more.txt", 2)
        .files(&[("more.txt", "Order: id uuid")]),
    case("A field beside the content that sets it", "flow skill deployment-guide-generator --input target.txt target=kubernetes", 2)
        .files(&[("target.txt", "kubernetes\n")]),
    case("A line that sets no environment variable", "flow skill deployment-guide-generator kubernetes --input .env --as dotenv", 2)
        .files(&[(".env", "PORT=3000\nDEBUG\n")]),
    case("The output of `git log`", "flow skill changelog-entry --input log.txt", 2)
        .files(&[("log.txt", "commit 0bb4ba100cbd029d2f24c4c9d2880b2d860e5c9c\nAuthor: Ada <ada@example.org>\n\n    feat: search\n")]),
    case("Rows of a table for a skill that takes a sentence", "flow skill commit-message-formatter --input rows.json --as sample", 2)
        .files(&[("rows.json", "[{\"a\": 1, \"b\": 2}]")]),
    case("An envelope of a skill whose output is not accepted", "flow skill sql-schema-generator --input made.json", 2)
        .files(&[("made.json", r#"{"skill": "adr-template", "kind": "decision", "data": {}, "artifacts": []}"#)]),
    case("An envelope without a skill", "flow skill sql-schema-generator --input made.json", 2)
        .files(&[("made.json", r#"{"skill": "", "kind": "model", "data": {}, "artifacts": []}"#)]),
    case("An envelope without a kind", "flow skill sql-schema-generator --input made.json", 2)
        .files(&[("made.json", r#"{"skill": "type-definitions", "data": {}, "artifacts": []}"#)]),
    case("An envelope whose data do not match its kind", "flow skill sql-schema-generator --input made.json", 2)
        .files(&[("made.json", r#"{"skill": "type-definitions", "kind": "model", "data": 7, "artifacts": []}"#)]),
    case("A migration that may lose values", "flow skill sql-schema-generator 'CREATE TABLE orders (total integer)' older='CREATE TABLE orders (total numeric(10,2))'", 2),
    case("A kind that does not exist", "flow skill type-definitions --as modle x", 2),
    case("An invalid time", "flow skill adr-template 'Use a queue' --now yesterday", 2),
    case("An open question with `--strict`", "flow skill story-skeleton 'Search by author' --strict", 1),
    case("A file that exists", "flow skill adr-template 'Use a queue' --out note.md", 1)
        .files(&[("note.md", "mine")]),
    case("A story that does not exist", "flow skill story-skeleton --from-story US-9", 2).files(&[(
        "docs/09-agents/status.json",
        r#"{"stories": {"US-1": {"title": "A first story"}}}"#,
    )]),
    case("A report without stories that can be read", "flow skill blocker-analysis", 2).files(&[(
        "docs/09-agents/status.json",
        r#"{"userStories": {"US-1": {"title": "A first story"}}}"#,
    )]),
    case("A chain of incompatible skills", "flow skill chain commit-message-formatter sql-schema-generator x", 2),
    case("A chain that fails at its second skill", "flow skill chain story-skeleton commit-message-formatter 'Search by author'", 2),
    case("A template that was not added", "flow skill note x", 1).files(&[(NOTE, "Dear {{ who }}\n")]),
    case("A template that has changed", "flow skill note x", 1)
        .files(&[(NOTE, "Dear {{ who }}\n")])
        .with(|scene| {
            scene.shell("flow skill add .claude/skills/note.md.tera && echo more >> .claude/skills/note.md.tera");
        }),
    case("A template in another folder", "flow skill add letter.md.tera", 2).files(&[("letter.md.tera", "x")]),
    case("A file that is not a template", "flow skill add .claude/skills/letter.txt", 2)
        .files(&[(".claude/skills/letter.txt", "x")]),
    case("A template with a built-in name", "flow skill add .claude/skills/adr-template.md.tera", 2)
        .files(&[(".claude/skills/adr-template.md.tera", "x")]),
    case("A template that cannot be parsed", "flow skill add .claude/skills/note.md.tera", 2)
        .files(&[(NOTE, "Dear {{ who\n")]),
    case("An input that the template does not use", "flow skill add .claude/skills/note.md.tera", 2)
        .files(&[(NOTE, "---\ninputs:\n  name: {}\n---\nDear {{ who }}\n")]),
    case("A template that takes too long", "flow skill note --template .claude/skills/note.md.tera x=1", 2)
        .files(&[(NOTE, ENDLESS)]),
    // Its limit of processor time ends it first.
    case(
        "The same in a shell that limits processor time",
        "ulimit -S -t 1; flow skill note --template .claude/skills/note.md.tera x=1",
        2,
    )
    .files(&[(NOTE, ENDLESS)]),
    case("Text for a template with several required fields", "flow skill note --template .claude/skills/note.md.tera Ada", 2)
        .files(&[(NOTE, "Dear {{ who }}, {{ text }}")]),
    case("Text for a template whose fields are all set", "flow skill note --template .claude/skills/note.md.tera who=Ada Hello", 2)
        .files(&[(NOTE, "Dear {{ who }}")]),
    case("A template with invalid frontmatter", "flow skill add .claude/skills/note.md.tera", 2)
        .files(&[(NOTE, "---\nshiny: 1\n---\nDear {{ who }}\n")]),
    case("A template that is a symlink", "flow skill add .claude/skills/note.md.tera", 2).with(|scene| {
        scene.project.write("letter.txt", "Dear {{ who }}");
        fs::create_dir_all(scene.project.root.join(".claude/skills")).unwrap();
        std::os::unix::fs::symlink("../../letter.txt", scene.project.root.join(NOTE)).unwrap();
    }),
    case("A template that is not text", "flow skill note --template note.md.tera x", 2)
        .with(|scene| fs::write(scene.project.root.join("note.md.tera"), b"a\xff").unwrap()),
    case("`--all` without `--yes`", "flow skill add --all", 2)
        .files(&[(NOTE, "Dear {{ who }}\n")]),
    case("A template to remove that was never added", "flow skill remove letter", 2),
    case("An invalid list of trusted templates", "flow skill note x", 1)
        .files(&[(NOTE, "Dear {{ who }}\n")])
        .with(|scene| {
            let folder = scene.project.state().join("flow");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("trusted-templates.json"), "{").unwrap();
        }),
    case("A skill that produces several files", "flow skill migration-checklist 'node 18 to 22'", 0),
];
