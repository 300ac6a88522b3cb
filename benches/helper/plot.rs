//! The plot of instructions by the length of the log: both axes logarithmic, legible on light and on dark.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The lines: key, label, and a colour with enough contrast to white and to black.
const LINES: [(&str, &str, &str); 6] = [
    ("none", "no filter", "#888888"),
    ("from", "from", "#2f81d0"),
    ("since", "since", "#1f9d55"),
    ("offset_90", "offset at 90 %", "#a05fd0"),
    ("three", "three filters", "#d9730d"),
    ("three_since", "two filters and since", "#d6409f"),
];
/// The area of the plot within the picture.
const AREA: [f64; 4] = [70.0, 20.0, 470.0, 300.0];
/// The range of the axes in powers of ten.
const SIZES: [i32; 2] = [3, 7];
const COSTS: [i32; 2] = [4, 6];

/// Reads lines of `query SIZE NAME COST` and writes the picture.
pub(crate) fn draw(file: &Path) {
    let input = std::io::read_to_string(std::io::stdin()).unwrap();
    let mut costs: BTreeMap<&str, BTreeMap<u64, f64>> = BTreeMap::new();
    for line in input.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["query", size, name, cost] = words[..] else { panic!("{line}") };
        costs.entry(name).or_default().insert(size.parse().unwrap(), cost.parse().unwrap());
    }
    let mut svg = axes();
    let mut legend = AREA[1] + 20.0;
    for (name, label, colour) in LINES {
        let Some(points) = costs.get(name) else { continue };
        let places: Vec<(f64, f64)> = points.iter().map(place).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (x, y) in places {
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let _ = writeln!(
            svg,
            "<rect x=\"490\" y=\"{:.0}\" width=\"14\" height=\"3\" fill=\"{colour}\"/><text x=\"510\" y=\"{legend:.0}\">{label}</text>",
            legend - 5.0
        );
        legend += 20.0;
    }
    svg += "</svg>\n";
    fs::write(file, svg).unwrap();
}

fn place((size, cost): (&u64, &f64)) -> (f64, f64) {
    let size = f64::from(u32::try_from(*size).unwrap());
    (across(size.log10()), up(cost.log10()))
}

fn across(power: f64) -> f64 {
    let [low, high] = SIZES.map(f64::from);
    AREA[0] + (power - low) / (high - low) * (AREA[2] - AREA[0])
}

fn up(power: f64) -> f64 {
    let [low, high] = COSTS.map(f64::from);
    AREA[3] - (power - low) / (high - low) * (AREA[3] - AREA[1])
}

fn axes() -> String {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 350\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">
<title>Instructions for a page of 100 messages, by the length of the log</title>
<style>text { fill: #57606a } .grid { stroke: #8888; stroke-width: 0.5 } @media (prefers-color-scheme: dark) { text { fill: #b8c0c8 } }</style>
",
    );
    for power in SIZES[0]..=SIZES[1] {
        let x = across(f64::from(power));
        let [top, bottom] = [AREA[1], AREA[3]];
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/><text x=\"{x:.1}\" y=\"318\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{power}</tspan></text>"
        );
    }
    for (power, label) in (COSTS[0]..=COSTS[1]).zip(["10,000", "100,000", "1,000,000"]) {
        let y = up(f64::from(power));
        let [left, right] = [AREA[0], AREA[2]];
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>",
            left - 6.0,
            y + 4.0
        );
    }
    svg + "<text x=\"270\" y=\"340\" text-anchor=\"middle\">messages in the log</text>\n<text x=\"20\" y=\"12\">instructions for a page of 100</text>\n"
}
