//! A checkout that an attacker controls completely, in which an agent runs skills: nothing of it is executed, nothing
//! outside of it is read or written, and no file of the user is replaced. `tests/cases/hostile-checkout` has more.

mod repositories;
mod terminal;
mod trust;
