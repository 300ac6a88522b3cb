//! Restricts a thread with Landlock.

use std::io;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus,
};

use crate::system::types::{Access, Restriction, Target};

/// Everything that can be denied of files and folders, besides the settings of devices.
const HANDLED: ABI = ABI::V3;

/// Lets the calling thread use these files and folders, and no others.
pub(crate) fn restrict(targets: Vec<Target>) -> io::Result<Restriction> {
    let refused = io::Error::other::<RulesetError>;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(HANDLED))
        .and_then(Ruleset::create)
        .map_err(refused)?;
    for (target, access) in targets {
        let is_folder = target.metadata()?.is_dir();
        let rights = rights(access);
        let rights = if is_folder { rights } else { rights & AccessFs::from_file(HANDLED) };
        rules = rules.add_rule(PathBeneath::new(target, rights)).map_err(refused)?;
    }
    Ok(match rules.restrict_self().map_err(refused)?.ruleset {
        RulesetStatus::FullyEnforced => Restriction::Full,
        RulesetStatus::PartiallyEnforced => Restriction::Partial,
        RulesetStatus::NotEnforced => Restriction::Missing,
    })
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    match access {
        Access::Read => reading,
        Access::Execute => reading | AccessFs::Execute,
        Access::Write => reading | AccessFs::WriteFile,
    }
}
