"""What the packages are named and the platforms that they are for, for the scripts beside this file.

A shell script asks: `python3 packaging/published.py name`, `version`, `archive TARGET`.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "flow"
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
NAME = WORKSPACE["workspace"]["metadata"]["packages"]["name"]
VERSION = WORKSPACE["workspace"]["package"]["version"]
LICENCE = WORKSPACE["workspace"]["package"]["license"]
DESCRIPTION = WORKSPACE["package"]["description"]
# Short, for lists of packages.
SYNOPSIS = WORKSPACE["package"]["metadata"]["deb"]["synopsis"]
# The columns of packaging/platforms after the target.
COLUMNS = ("archive", "npm", "os", "cpu", "libc", "wheel")


class Failure(Exception):
    """What is wrong, and what to do next."""


def platforms():
    """The lines of packaging/platforms, by target."""
    lines = [line.split() for line in (ROOT / "packaging/platforms").read_text(encoding="utf-8").splitlines()]
    return {line[0]: dict(zip(COLUMNS, line[1:], strict=True)) for line in lines if line and line[0] != "#"}


def platform(target):
    """The line of a target."""
    known = platforms()
    if target not in known:
        raise Failure(f"packaging/platforms has no line for {target}, only for: {', '.join(known)}")
    return known[target]


def run(script, main):
    """Runs a script of this folder, whose failures are one line."""
    try:
        main()
    except Failure as failure:
        sys.exit(f"packaging/{script}: {failure}")


def answer():
    """Prints what a shell script asks for."""
    match sys.argv[1:]:
        case ["name"]:
            print(NAME)
        case ["version"]:
            print(VERSION)
        case ["archive", target]:
            print(platform(target)["archive"])
        case _:
            raise Failure(f"give one of: name, version, archive TARGET; not: {' '.join(sys.argv[1:])}")


if __name__ == "__main__":
    run("published.py", answer)
