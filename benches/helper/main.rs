//! The helper processes of `compare`, one subcommand each. Not a benchmark by itself.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

#[path = "../support/mod.rs"]
mod support;
mod client;
mod floor;
mod load;
mod once;
mod plot;

use std::io::Write;
use std::path::Path;

use support::generate::Mix;

/// The usage, for calls by hand.
const USAGE: &str = "\
generate FOLDER MESSAGES [MIX]      writes a project; MIX is skewed, even or aliases
floor BYTES                         serves so many bytes as bare hyper, for ten minutes at most
ask PORT PATH COUNT                 asks that often on one connection
get PORT PATH                       prints a body
port                                prints a port that is free
lag PORT FOLDER COUNT PER_SECOND    appends lines; prints the time until they are served, in microseconds
rewrite FOLDER PER_SECOND SECONDS   rewrites a 3 MB status.json
once PROGRAM ARGUMENTS...           runs a program; prints its CPU and wall time in microseconds, its memory in KiB
plot FILE                           draws lines of `query SIZE NAME INSTRUCTIONS` from its input";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate", folder, messages, mix @ ..] => {
            let mix = match mix {
                [] | ["skewed"] => Mix::Skewed,
                ["even"] => Mix::Even,
                ["aliases"] => Mix::Aliases,
                _ => panic!("no such mix: {mix:?}"),
            };
            support::generate::project(Path::new(folder), messages.parse().unwrap(), mix);
        }
        ["floor", bytes] => floor::serve(bytes.parse().unwrap()),
        ["ask", port, path, count] => {
            let mut client = client::Client::connect(port.parse().unwrap());
            for _ in 0..count.parse::<u64>().unwrap() {
                client.get(path);
            }
        }
        ["get", port, path] => {
            let mut client = client::Client::connect(port.parse().unwrap());
            std::io::stdout().write_all(client.get(path)).unwrap();
        }
        ["port"] => {
            let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
            println!("{}", listener.local_addr().unwrap().port());
        }
        ["lag", port, folder, count, rate] => {
            let [port, count, rate] = [port, count, rate].map(|word| word.parse::<u64>().unwrap());
            load::lag(u16::try_from(port).unwrap(), Path::new(folder), (count, rate));
        }
        ["rewrite", folder, rate, seconds] => {
            load::rewrite(Path::new(folder), rate.parse().unwrap(), seconds.parse().unwrap());
        }
        ["once", program, arguments @ ..] => once::once(program, arguments),
        ["plot", file] => plot::draw(Path::new(file)),
        _ => println!("{USAGE}"),
    }
}
