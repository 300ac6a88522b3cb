//! Fuzzes `flow_fuzz::config_registry_git`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| flow_fuzz::config_registry_git::check(data));
