//! What the command line reads of git: a commit, the files of its tree ([`revision`]), and the commits of a branch
//! ([`first_parents`]). Read only.

pub(crate) mod first_parents;
pub(crate) mod revision;
