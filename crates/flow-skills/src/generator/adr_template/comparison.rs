//! Reads the options of a record: from the field, and from Markdown with a bullet or a heading for each, below it what it
//! is, and what speaks for and against it. What has no mark of its own is kept word for word.

use super::choice::is_same;
use super::input::Input;
use super::options::{Choice, Options};
use crate::input::values::TextOrList;
use crate::output::{Result, bad_text};
use crate::text::{after, heading, item, line};

/// Most options of a decision.
const MOST: usize = 200;
/// The marks that the arguments of each side begin with; they are not part of the argument.
const MARKS: [(Side, &[&str]); 3] = [
    (Side::For, &["Good, because ", "Good because ", "Good, ", "Good: ", "Pro: ", "Pros: ", "+ "]),
    (Side::Against, &["Bad, because ", "Bad because ", "Bad, ", "Bad: ", "Con: ", "Cons: "]),
    (Side::Neither, &["Neutral, because ", "Neutral because ", "Neutral, ", "Neutral: "]),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    For,
    Against,
    Neither,
}

/// What a line that begins nothing belongs to.
#[derive(Clone, Copy, Default)]
enum Open {
    /// The text above or between the options.
    #[default]
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
    pub(super) fn read(input: &Input) -> Result<Self> {
        let mut all: Vec<Choice> = match &input.options {
            Some(TextOrList::Text(text)) if text.lines().any(|line| item(line).is_some()) => {
                self::read(text).all
            }
            Some(TextOrList::Text(text)) => {
                let names = text.split([',', ';', '\n']).filter(|name| !name.trim().is_empty());
                names.map(Choice::bare).collect()
            }
            Some(TextOrList::Items(items)) => {
                let name = |at: usize| &items[at].0.name;
                let is_known = |at: &usize| (0..*at).any(|known| **name(known) == **name(*at));
                if let Some(at) = (0..items.len()).find(is_known) {
                    return Err(bad_text(&format!("options[{at}]"), name(at), "named once"));
                }
                items.iter().map(|given| Choice::given(&given.0)).collect()
            }
            None => Vec::new(),
        };
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

fn read(text: &str) -> Options {
    let mut reader = Reader::default();
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

#[derive(Default)]
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
    let (side, rest) = MARKS.iter().find_map(|(side, marks)| Some((*side, after(text, marks)?)))?;
    // "Because of" is no mark.
    let because = rest.starts_with("of ").then(|| text.find("because of ")).flatten();
    let rest = because.map_or(rest, |at| &text[at..]);
    (!rest.trim().is_empty()).then_some((side, rest))
}

fn labelled_side(raw: &str) -> Option<Side> {
    match raw.trim_matches(['*', ':', ' ']).to_lowercase().as_str() {
        "in favour" | "for" | "pros" | "advantages" | "good" => Some(Side::For),
        "against" | "cons" | "disadvantages" | "bad" => Some(Side::Against),
        _ => None,
    }
}
