//! `flow mcp`: the real program on its standard streams, in both revisions of the protocol; hostile clients; the official
//! clients in Python and TypeScript; and the official conformance suite.

mod client;
mod clients;
mod conformance;
mod hostile;
mod processes;
mod skills;
mod transcripts;
mod updates;
