//! Custom skills: written, added and rendered in three commands; refused until they are trusted; without a hang or an
//! abort, whatever the template contains.

use std::fs;

use crate::support::Project;

fn template(project: &Project, name: &str, text: &str) -> String {
    let path = format!(".claude/skills/{name}");
    project.write(&path, text);
    path
}

#[test]
fn what_is_not_ours_is_left_alone_and_built_in_names_are_taken() {
    let project = Project::new();
    template(&project, "theirs/SKILL.md", "---\nname: theirs\ndescription: of another tool\n---\n");
    template(&project, "readme.txt", "hello\n");
    let list = project.flow(&["skill", "list", "--json"]).expect(0).json();
    assert_eq!(list["foreign"], serde_json::json!(["readme.txt", "theirs"]));
    for name in flow::skill::runtime::catalog::names() {
        let path = template(&project, &format!("{name}.md.tera"), "x\n");
        let refused = project.flow(&["skill", "add", &path]).expect(2);
        assert!(refused.err.contains("built-in") && refused.err.contains(&path), "{refused:?}");
    }
    let outside = project.root.join("elsewhere.md.tera");
    fs::write(&outside, "x").unwrap();
    project.flow(&["skill", "add", "elsewhere.md.tera"]).expect(2);
    std::os::unix::fs::symlink(&outside, project.root.join(".claude/skills/linked.md.tera"))
        .unwrap();
    project.flow(&["skill", "add", ".claude/skills/linked.md.tera"]).expect(2);
}

#[test]
fn no_template_hangs_or_kills_the_program() {
    let project = Project::new();
    let loops =
        "{% for a in range(end=99999) %}{% for b in range(end=99999) %}{% endfor %}{% endfor %}"
            .to_owned();
    let flood = "{% for a in range(end=99999) %}{% for b in range(end=99999) %}0123456789{% endfor %}{% endfor %}".to_owned();
    let doubling = "{% set_global x = 'xxxxxxxxxxxxxxxx' %}{% for a in range(end=64) %}{% set_global x = x ~ x %}{% endfor %}".to_owned();
    let parentheses = ["{{ ", &"(".repeat(3000), "1", &")".repeat(3000), " }}"].concat();
    let chain = ["{{ 1", &" + 1".repeat(16_000), " }}"].concat();
    let blocks = ["{% if true %}".repeat(3000), "{% endif %}".repeat(3000)].concat();
    let environment = "{{ get_env(name='HOME') }}".to_owned();
    let elif = ["{% if a %}", &"{% elif a %}".repeat(4000), "{% endif %}"].concat();
    let include = "{% include '/etc/passwd' %}".to_owned();
    for (at, text) in
        [loops, flood, doubling, parentheses, chain, blocks, elif, environment, include]
            .iter()
            .enumerate()
    {
        let path = template(&project, &format!("bad{at}.md.tera"), text);
        let ran = project.flow(&["skill", &format!("bad{at}"), "--template", &path]);
        assert_eq!(ran.code, 2, "{text:.60}: {ran:?}");
        assert!(ran.err.contains("template"), "{text:.60}: {ran:?}");
        assert!(ran.out.is_empty());
    }
}

#[test]
fn the_catalog_can_be_installed_and_is_then_not_foreign_code() {
    let project = Project::new();
    project.flow(&["skill", "install", "--all"]).expect(0);
    project.flow(&["skill", "install", "--all"]).expect(0);
    let before = project.flow(&["skill", "list", "--json"]).expect(0).json();
    assert_eq!(before["count"], flow::skill::runtime::catalog::names().count());
    assert_eq!(before["foreign"], serde_json::json!([]));
    if let Some(first) = flow::skill::runtime::catalog::names().next() {
        let page = project.root.join(".claude/skills").join(first).join("SKILL.md");
        fs::write(&page, "mine\n").unwrap();
        assert!(project.flow(&["skill", "install", "--all"]).expect(1).err.contains("--force"));
        project.flow(&["skill", "install", "--all", "--force"]).expect(0);
    }
}
