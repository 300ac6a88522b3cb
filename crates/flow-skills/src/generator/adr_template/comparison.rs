//! Reads the options of a record: from the field, and from Markdown with a bullet or a heading for each, below it what it
//! is, and what speaks for and against it. What has no mark of its own is kept word for word.

use super::choice::is_same;
use super::input::{Given, Input};
use super::options::{Choice, Options};
use crate::input::values::{Line, TextOrList};
use crate::output::{Result, bad_text};
use crate::text::{after, heading, item, line};

/// Most options of a decision.
const MOST: usize = 200;
/// What speaks for an option begins so, and what speaks against it; the word behind it is not part of the argument.
const FOR: [&str; 7] =
    ["Good, because ", "Good because ", "Good, ", "Good: ", "Pro: ", "Pros: ", "+ "];
const AGAINST: [&str; 6] = ["Bad, because ", "Bad because ", "Bad, ", "Bad: ", "Con: ", "Cons: "];
const NEITHER: [&str; 4] = ["Neutral, because ", "Neutral because ", "Neutral, ", "Neutral: "];

/// Which side an argument is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    For,
    Against,
    Neither,
}

/// What a line that begins nothing belongs to.
#[derive(Clone, Copy)]
enum Open {
    /// The text above or between the options.
    All,
    /// The name of an option, which is an item with this indentation.
    Name(usize),
    /// The text below the name of an option.
    About,
    /// The last argument of a side, which is an item with this indentation.
    Argument(Side, usize),
}

impl Options {
    /// All options, each once; what Markdown says of one that is named already is added to it.
    ///
    /// # Errors
    /// When the field names one twice.
    pub(super) fn read(input: &Input) -> Result<Self> {
        let mut all: Vec<Choice> = Vec::new();
        let mut items = [].as_slice();
        match &input.options {
            Some(TextOrList::Text(text)) if text.lines().any(|line| item(line).is_some()) => {
                all = self::read(text).all;
            }
            Some(TextOrList::Text(text)) => {
                let names = text.split([',', ';', '\n']).filter(|name| !name.trim().is_empty());
                all = names.map(Choice::bare).collect();
            }
            Some(TextOrList::Items(given)) => items = given,
            None => {}
        }
        for (at, given) in items.iter().enumerate() {
            let Given { name, pros, cons } = &given.0;
            if all.iter().any(|known| known.name == **name) {
                return Err(bad_text(&format!("options[{at}]"), name, "named once"));
            }
            let texts = |all: &[Line]| all.iter().map(ToString::to_string).collect();
            all.push(Choice {
                name: name.to_string(),
                pros: texts(pros),
                cons: texts(cons),
                ..Choice::default()
            });
        }
        let compared = input.comparison.as_deref().map(self::read).unwrap_or_default();
        for more in compared.all {
            match all.iter_mut().find(|known| is_same(&known.name, &more.name)) {
                Some(known) => known.extend(more),
                None => all.push(more),
            }
            if all.len() > MOST {
                let allowed = format!("at most {MOST} options");
                return Err(bad_text("comparison", "more options", &allowed));
            }
        }
        Ok(Self { about: compared.about, all })
    }
}

/// The options of a text.
fn read(text: &str) -> Options {
    let mut reader = Reader {
        found: Options::default(),
        has_heading: false,
        indent: 0,
        side: None,
        open: Open::All,
        is_fenced: false,
        is_below_blank: false,
    };
    for line in text.lines() {
        reader.line(line);
    }
    let mut found = reader.found;
    let texts = found.all.iter_mut().flat_map(|option| {
        let Choice { about, pros, cons, neutral, .. } = option;
        pros.iter_mut().chain(cons).chain(neutral).chain([about])
    });
    texts.chain([&mut found.about]).for_each(|text| *text = text.trim_matches('\n').to_owned());
    found
}

struct Reader {
    found: Options,
    /// Whether the options have headings.
    has_heading: bool,
    /// The indentation of the last option that is an item.
    indent: usize,
    /// The side that the label above names: `Pros:`.
    side: Option<Side>,
    open: Open,
    is_fenced: bool,
    is_below_blank: bool,
}

impl Reader {
    fn line(&mut self, raw: &str) {
        let text = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        let is_mark = text.starts_with("```");
        if self.is_fenced || is_mark {
            self.is_fenced ^= is_mark;
            self.keep(raw);
        } else if text.is_empty() {
            self.keep("");
        } else if let Some((_, name)) = heading(text) {
            self.heading(name);
        } else if let Some(item) = item(text) {
            self.item(raw, indent, item);
        } else {
            self.text(raw, indent);
        }
        self.is_below_blank = text.is_empty();
    }

    fn heading(&mut self, name: &str) {
        let side = labelled_side(name).filter(|_| self.has_heading);
        self.open = Open::About;
        self.side = side;
        if side.is_none() {
            self.has_heading = true;
            self.found.all.push(named(name));
        }
    }

    fn item(&mut self, raw: &str, indent: usize, item: &str) {
        if let Open::Argument(_, above) = self.open
            && indent > above
        {
            return self.keep(raw);
        }
        if !self.has_heading && (self.found.all.is_empty() || indent <= self.indent) {
            (self.open, self.indent, self.side) = (Open::Name(indent), indent, None);
            return self.found.all.push(named(item));
        }
        if let Some(side) = labelled_side(item) {
            self.open = Open::About;
            self.side = Some(side);
            return;
        }
        let Some((side, text)) = argument(item).or_else(|| Some((self.side?, item))) else {
            self.open = if self.has_heading { Open::About } else { Open::Name(self.indent) };
            return self.keep(raw);
        };
        self.open = Open::Argument(side, indent);
        let Some(option) = self.found.all.last_mut() else { return };
        sided(option, side).push(line(text));
    }

    /// A line of text: it continues what is open where it stands right below or is indented.
    fn text(&mut self, raw: &str, indent: usize) {
        let text = raw.trim();
        if let Some(side) = labelled_side(text).filter(|_| self.has_heading) {
            self.open = Open::About;
            self.side = Some(side);
            return;
        }
        let is_below_blank = self.is_below_blank;
        let is_inside = |above: usize| indent > above || !is_below_blank;
        match self.open {
            Open::Argument(_, above) if is_inside(above) && is_below_blank => self.keep(raw),
            Open::Argument(side, above) if is_inside(above) => {
                let option = self.found.all.last_mut();
                if let Some(last) = option.and_then(|option| sided(option, side).last_mut()) {
                    join(last, text);
                }
            }
            Open::Argument(..) => {
                self.open = Open::About;
                self.keep("");
                self.keep(raw);
            }
            Open::Name(above) if is_inside(above) => match self.found.all.last_mut() {
                Some(option) if !is_below_blank && option.about.is_empty() => {
                    join(&mut option.name, text);
                }
                _ => self.keep(raw),
            },
            Open::Name(_) => {
                self.open = Open::All;
                self.keep("");
                self.keep(raw);
            }
            Open::All | Open::About => self.keep(raw),
        }
    }

    /// Keeps a line of what is open. Below an item its indentation is that within the item.
    fn keep(&mut self, raw: &str) {
        let within = |raw: &str, above: usize| {
            let indent = raw.len() - raw.trim_start().len();
            let indent = if raw.is_empty() { 0 } else { indent.saturating_sub(above).max(2) };
            format!("{}{}", " ".repeat(indent), raw.trim())
        };
        let (sink, line) = match (self.open, self.found.all.last_mut()) {
            (Open::All, _) | (_, None) => (&mut self.found.about, raw.to_owned()),
            (Open::About, Some(option)) => (&mut option.about, raw.to_owned()),
            (Open::Name(above), Some(option)) => {
                let line = within(raw, above);
                (&mut option.about, line.get(2..).unwrap_or_default().to_owned())
            }
            (Open::Argument(side, above), Some(option)) => match sided(option, side).last_mut() {
                Some(last) => (last, within(raw, above)),
                None => return,
            },
        };
        sink.push('\n');
        sink.push_str(&line);
    }
}

fn sided(option: &mut Choice, side: Side) -> &mut Vec<String> {
    match side {
        Side::For => &mut option.pros,
        Side::Against => &mut option.cons,
        Side::Neither => &mut option.neutral,
    }
}

/// Continues a line.
fn join(text: &mut String, more: &str) {
    text.push(' ');
    text.push_str(&line(more));
}

/// An option by its name, which may be strong text.
fn named(name: &str) -> Choice {
    let bold = name.strip_prefix("**").and_then(|name| name.strip_suffix("**"));
    Choice::bare(bold.unwrap_or(name))
}

/// The side that a text begins with, and the argument behind it.
fn argument(text: &str) -> Option<(Side, &str)> {
    let found = |side: Side, marks: &[&str]| {
        let rest = after(text, marks)?;
        // "Because of" is no mark.
        let because = rest.starts_with("of ").then(|| text.find("because of ")).flatten();
        Some((side, because.map_or(rest, |at| &text[at..])))
    };
    found(Side::For, &FOR)
        .or_else(|| found(Side::Against, &AGAINST))
        .or_else(|| found(Side::Neither, &NEITHER))
        .filter(|(_, rest)| !rest.trim().is_empty())
}

fn labelled_side(raw: &str) -> Option<Side> {
    match raw.trim_matches(['*', ':', ' ']).to_lowercase().as_str() {
        "in favour" | "for" | "pros" | "advantages" | "good" => Some(Side::For),
        "against" | "cons" | "disadvantages" | "bad" => Some(Side::Against),
        _ => None,
    }
}
