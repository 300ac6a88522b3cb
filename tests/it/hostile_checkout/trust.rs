//! Templates of other users are refused, and no skill grants itself tools. `tests/cases/hostile-checkout/trust.in` shows that no
//! template of a checkout runs before this user has trusted it.

use std::fs;
use std::os::unix::fs::chown;

use nix::unistd::Uid;

use crate::support::{Project, Ran};
use crate::tools::not_here;

const NOTE: &str = ".claude/skills/note.md.tera";

#[test]
fn what_belongs_to_another_user_is_refused_by_the_owners_name() {
    if !Uid::effective().is_root() {
        not_here("only root can give files away");
        return;
    }
    for path in ["", ".flow", ".claude", ".claude/skills"] {
        let project = Project::new();
        project.write(NOTE, "one {{ a }}\n");
        fs::create_dir_all(project.root.join(".flow")).unwrap();
        project.flow(&["skill", "add", NOTE]).expect(0);
        chown(project.root.join(path), Some(65534), None).unwrap();
        for words in [
            &["skill", "note", "x"][..],
            &["skill", "add", NOTE],
            &["skill", "add", "--all", "--yes"],
        ] {
            let mut command = project.command();
            command.arg("--project").arg(&project.root).args(words);
            let ran = Ran::from(command.output().unwrap()).expect(1);
            assert!(ran.err.contains("nobody"), "{path}: {words:?}: {ran:?}");
        }
    }
}

#[test]
fn no_skill_grants_itself_tools() {
    for name in flow::skill::runtime::catalog::names() {
        let page = flow::skill::runtime::catalog::file(name, "SKILL.md").unwrap();
        let (front, _) = page.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        assert!(!front.contains("allowed-tools"), "{name}");
    }
}
