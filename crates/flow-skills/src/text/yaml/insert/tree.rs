//! The positions of a document's members in its text, as reported by the YAML parser.

use std::ops::Range;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, StructureStyle};

/// Deepest nesting of a document that is edited.
const DEEPEST: usize = 500;

/// The style of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Block,
    Flow,
}

/// A value.
#[derive(Debug)]
pub(super) enum Node {
    Collection(Collection),
    /// A text, a number or null.
    Scalar(Range<usize>),
    /// `|` or `>`: its start.
    BlockScalar(usize),
    /// A reference to another value.
    Alias(Range<usize>),
}

/// A mapping or a list.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) style: Style,
    pub(super) span: Range<usize>,
    /// Column of its keys or hyphens in a block, from 0.
    pub(super) column: usize,
    children: Vec<Child>,
}

/// A member of a mapping, or an item of a list.
#[derive(Debug)]
pub(super) struct Child {
    /// `None` for an item of a list.
    key: Option<String>,
    /// Offset of its key or hyphen.
    pub(super) start: usize,
    pub(super) node: Node,
}

impl Collection {
    pub(super) fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// The member with this key.
    pub(super) fn child(&self, key: &str) -> Option<&Child> {
        self.children.iter().find(|child| child.key.as_deref() == Some(key))
    }

    /// Offset of the last member.
    pub(super) fn last_start(&self) -> Option<usize> {
        self.children.last().map(|child| child.start)
    }

    /// End of the last member.
    pub(super) fn end(&self, text: &str) -> usize {
        let mut own = self;
        loop {
            let Some(last) = own.children.last() else { return own.span.end };
            match &last.node {
                Node::Collection(inner) if inner.style == Style::Block => own = inner,
                Node::Collection(inner) => return inner.span.end,
                Node::BlockScalar(start) => return block_end(text, *start, own.column),
                // An absent value counts as being at the position of its key.
                Node::Scalar(span) if span.is_empty() => return last.start,
                Node::Alias(span) | Node::Scalar(span) => return span.end,
            }
        }
    }
}

/// The end of a block scalar: before the first line that is not indented further than `column`.
fn block_end(text: &str, start: usize, column: usize) -> usize {
    let mut end = start;
    let mut at = start;
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        at += line.len();
        let bare = line.trim_start_matches(' ');
        if number > 0 && !bare.trim().is_empty() && line.len() - bare.len() <= column {
            break;
        }
        if number == 0 || !bare.trim().is_empty() {
            end = at - usize::from(line.ends_with('\n'));
        }
    }
    end
}

/// A collection whose end has not been reached.
struct Open {
    collection: Collection,
    is_mapping: bool,
    /// The key of the next value, with its offset.
    key: Option<(String, usize)>,
}

/// The tree of a text with one document.
pub(super) fn parse(text: &str) -> Option<Node> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let span = span.byte_range()?;
        let node = match event {
            Event::MappingStart(style, ..) | Event::SequenceStart(style, ..)
                if open.len() < DEEPEST =>
            {
                let is_mapping = matches!(event, Event::MappingStart(..));
                open.push(begin(style, span, is_mapping));
                continue;
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => return None,
            Event::MappingEnd | Event::SequenceEnd => {
                let mut own = open.pop()?.collection;
                own.span.end = span.end;
                Node::Collection(own)
            }
            Event::Scalar(value, style, ..) => match open.last_mut() {
                Some(parent) if parent.is_mapping && parent.key.is_none() => {
                    parent.key = Some((value.into_owned(), span.start));
                    continue;
                }
                _ if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) => {
                    Node::BlockScalar(span.start)
                }
                _ => Node::Scalar(span),
            },
            Event::Alias(_) => Node::Alias(span),
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.add(text, node)?,
            None if root.is_none() => root = Some(node),
            // A second document.
            None => return None,
        }
    }
    root
}

fn begin(style: StructureStyle, span: Range<usize>, is_mapping: bool) -> Open {
    let style = match style {
        StructureStyle::Block => Style::Block,
        StructureStyle::Flow => Style::Flow,
    };
    let collection = Collection { style, span, column: 0, children: Vec::new() };
    Open { collection, is_mapping, key: None }
}

impl Open {
    /// Adds a value; `None` if a key is not a text.
    fn add(&mut self, text: &str, node: Node) -> Option<()> {
        let is_block = self.collection.style == Style::Block;
        let (key, start) = if self.is_mapping {
            let (key, start) = self.key.take()?;
            (Some(key), start)
        } else {
            let start = match &node {
                Node::Collection(own) => own.span.start,
                Node::BlockScalar(start) => *start,
                Node::Scalar(span) | Node::Alias(span) => span.start,
            };
            (None, if is_block { text[..start].rfind('-')? } else { start })
        };
        // Columns matter in blocks alone: a document of JSON may be one long line.
        if is_block && self.collection.children.is_empty() {
            let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
            self.collection.column = text[line..start].chars().count();
        }
        self.collection.children.push(Child { key, start, node });
        Some(())
    }
}
