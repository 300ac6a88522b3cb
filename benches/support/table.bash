# What the scripts of benches share: words, numbers, and the table of what was measured. Part of benches/compare and
# benches/skills, which set $temp, and $rows and $notes to files in it.

say() { echo "- $*" >&2; }
note() { echo "$*" | tee -a "$notes" >&2; }
has() { command -v "$1" >/dev/null; }
calc() { awk "BEGIN { printf \"${2:-%.2f}\", ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }
group() { sed -E ':a; s/([0-9])([0-9]{3})($|[^0-9])/\1,\2\3/; ta' <<<"$1"; }

# row WHAT AIM MEASURED CONDITION
row() {
    local met=missed
    if holds "$4"; then met=met; fi
    echo "| $1 | $2 | $3 | $met |" | tee -a "$rows" >&2
}

median() { sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

table() {
    echo "| what | aim, at most or at least | measured | |"
    echo "|---|---|---|---|"
    cat "$rows"
    echo
    echo "Measured on $(date -u +%F) at commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown):" \
        "$(sed -nE 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) cores," \
        "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo), Linux $(uname -r)," \
        "$(rustc --version)."
    sed 's/^/\n/' "$notes"
}

# write_down NAME: puts the table between the marks of this name in BENCHMARKS.md
write_down() {
    table >"$temp/table"
    awk -v table="$temp/table" -v name="$1" '
        $0 == "<!-- " name " ends -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- " name " begins -->" { inside = 1; print ""; while ((getline line < table) > 0) print line; print "" }
    ' BENCHMARKS.md >"$temp/new"
    cp "$temp/new" BENCHMARKS.md
}
