//! Messages about arguments that are unknown, misplaced, or of another command.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case("A command that is misspelt", "flow apo start", 2),
    case("An action without its command", "flow status", 2),
    case("An action and verb without its command", "flow list", 2),
    case("An action that is misspelt", "flow api strat", 2),
    case("A port that is not a number", "flow api start PORT=abc", 2),
    case("A port over 65535", "flow api start PORT=70000", 2),
    case("A negative port", "flow api start --port -1", 2),
    case("A key that is misspelt", "flow api start PROT=3456", 2),
    case("A key that does not exist", "flow api start COLOUR=red", 2),
    case("An option that is misspelt", "flow api start --foregroud", 2),
    case("An option that does not exist", "flow doctor --fix", 2),
    case("An option without its value", "flow api status --project", 2),
    case("`get` without a path", "flow api get", 2),
    case("A path for another action", "flow api start /api/tasks", 2),
    case("`--follow` with another action than `logs`", "flow api status --follow", 2),
    case("`--all` with another action than `stop`", "flow api start --all", 2),
    case("`--all` and `--project` at once", "flow api stop --all --project .", 2),
    case("A path with a space in it", "flow api get '/api/stories?owner=A B'", 2),
    case("A file of `schema` that is misspelt", "flow schema stauts", 2),
    case("A skill in place of a file", "flow schema adr-template", 2),
    case("A file together with `--for-agents`", "flow schema status --for-agents", 2),
    case("A shell that is misspelt", "flow completions bsh", 2),
    case("`watch` as JSON", "flow watch --once --json", 2),
    case("`mcp` as JSON", "flow mcp --json", 2),
    case("An invalid time", "flow watch --once --now noon", 2),
    case("`explain` without an id", "flow explain", 2),
    case("`explain` of an empty id", "flow explain ''", 2),
];
