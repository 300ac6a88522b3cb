//! argv to exit code.

fn main() {}
