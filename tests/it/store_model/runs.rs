//! The log's chunks and their indexes, compared with a plain list of messages that is filtered one by one.

use std::borrow::Cow;

use flow::model::bus::{FIELDS, Form, Message};
use flow::model::suspicions::Counted;
use flow::store::chunk::{Builder, Chunk, FULL, Query};
use flow::store::log::{Log, Page};
use flow::store::names::{MOST_NAMES, Names};
use flow::store::postings::Order;
use flow::store::times::Window;

/// A message of the plain list.
#[derive(Debug, Clone)]
struct Plain {
    text: String,
    is_verbatim: bool,
    time: Option<i64>,
    words: [Option<String>; FIELDS.len()],
    segment: u64,
}

/// A query of a log.
#[derive(Debug, Clone)]
struct Request {
    values: [Vec<String>; FIELDS.len()],
    excluded: [Vec<String>; FIELDS.len()],
    window: Option<(i64, i64)>,
    offset: u64,
    limit: usize,
    descending: bool,
}

impl Request {
    fn wants(&self, message: &Plain) -> bool {
        let has = |(wanted, word): (&Vec<String>, &Option<String>)| {
            let word = word.as_deref().unwrap_or("none");
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == word)
        };
        let lacks = |(unwanted, word): (&Vec<String>, &Option<String>)| {
            !unwanted.iter().any(|unwanted| unwanted == word.as_deref().unwrap_or("none"))
        };
        self.values.iter().zip(&message.words).all(has)
            && self.excluded.iter().zip(&message.words).all(lacks)
            && self.window.is_none_or(|(since, until)| {
                message.time.is_some_and(|time| since <= time && time <= until)
            })
    }

    fn query(&self) -> Query<'_> {
        let window = self.window.map(|(since, until)| Window { since, until });
        Query {
            values: self.values.each_ref().map(Vec::as_slice),
            excluded: self.excluded.each_ref().map(Vec::as_slice),
            window,
            ..Query::default()
        }
    }

    fn page(&self) -> Page {
        let order = if self.descending { Order::Descending } else { Order::Ascending };
        Page { offset: self.offset, limit: self.limit, order }
    }
}

/// A chunk of these messages.
fn run(messages: &[Plain]) -> Chunk {
    let mut builder = Builder::new(messages.first().map_or(0, |message| message.segment));
    let mut names = Names::new(MOST_NAMES);
    for message in messages {
        let message = Message {
            text: &message.text,
            form: if message.is_verbatim { Form::Verbatim } else { Form::Rewritten },
            time: message.time,
            words: message.words.each_ref().map(|word| word.as_deref().map(Cow::Borrowed)),
            counted: Counted::Nothing,
        };
        builder.add(&message, &mut names);
    }
    builder.finish()
}

/// Asserts that a log answers like the list.
fn check(log: &Log, list: &[Plain], request: &Request) {
    let mut found: Vec<(String, bool)> = Vec::new();
    let totals = log.query(&request.query(), request.page(), |chunk, position| {
        let (text, form) = chunk.message(position);
        found.push((text.to_owned(), form == Form::Verbatim));
    });
    let mut matching: Vec<&Plain> = list.iter().filter(|message| request.wants(message)).collect();
    assert_eq!((totals.total, totals.count), (matching.len(), found.len()), "{request:?}");
    if request.descending {
        matching.reverse();
    }
    let offset = usize::try_from(request.offset).unwrap_or(usize::MAX);
    let page = matching.into_iter().skip(offset).take(request.limit);
    let page: Vec<_> = page.map(|message| (message.text.clone(), message.is_verbatim)).collect();
    assert!(found == page, "{request:?} gave {found:?} in place of {page:?}");
}

fn check_all(log: &Log, list: &[Plain], questions: &[Request]) {
    for request in questions {
        check(log, list, request);
    }
}

/// Asserts that a log equals the list: its length, order, content, first and last time.
fn check_whole(log: &Log, list: &[Plain]) {
    let everything = Request {
        values: Default::default(),
        excluded: Default::default(),
        window: None,
        offset: 0,
        limit: usize::MAX,
        descending: false,
    };
    assert_eq!((log.len(), log.is_empty()), (list.len(), list.is_empty()));
    check(log, list, &everything);
    let timed = || list.iter().filter(|message| message.time.is_some());
    // Of equal times, the first one is the earliest and the latest.
    let first = timed().min_by_key(|message| message.time);
    let end = timed().rev().max_by_key(|message| message.time);
    let ends = log.ends().map(|ends| ends.map(|(chunk, at)| chunk.message(at).0.to_owned()));
    let plain = first.zip(end).map(|(first, end)| [first.text.clone(), end.text.clone()]);
    assert_eq!(ends, plain);
    for (field, _) in FIELDS.iter().enumerate() {
        let counted: usize = log
            .chunks()
            .flat_map(|chunk| chunk.terms()[field].counts())
            .map(|(_, count)| count)
            .sum();
        assert_eq!(counted, list.len());
    }
}

/// A message of a long list: words of various frequencies; times that usually grow.
fn usual(number: usize) -> Plain {
    let time = i64::try_from(number).unwrap();
    let story =
        if number.is_multiple_of(1000) { "rare".to_owned() } else { format!("s{}", number % 7) };
    let from = ["a", "b"][number / 3 % 2].to_owned();
    Plain {
        text: format!("{{\"n\":{number}}}"),
        is_verbatim: !number.is_multiple_of(5),
        time: (!number.is_multiple_of(11)).then_some(if number.is_multiple_of(13) {
            7
        } else {
            time
        }),
        words: [
            Some(story),
            Some(from),
            number.is_multiple_of(2).then(|| "x".to_owned()),
            Some("all".to_owned()),
        ],
        segment: 0,
    }
}

/// Questions about a long list.
fn questions(length: usize) -> Vec<Request> {
    let last = i64::try_from(length).unwrap();
    let none: [&[&str]; 4] = [&[]; 4];
    let values: [[&[&str]; 4]; 8] = [
        none,
        [&["rare"], &[], &[], &[]],
        [&["s1", "s2", "rare"], &[], &[], &[]],
        [&[], &["a"], &["x"], &[]],
        [&["rare"], &["b"], &["x", "none"], &["all"]],
        [&[], &["a", "b"], &["none"], &[]],
        [&["s3"], &["a"], &[], &["all", "other"]],
        [&["missing"], &["a"], &[], &[]],
    ];
    let windows = [None, Some((0, last)), Some((65_000, 66_100)), Some((7, 7)), Some((9, 8))];
    let pages = [(0, 5, false), (0, 5, true), (65_534, 4, false), (1000, 300, true)];
    let mut all = Vec::new();
    for (at, values) in values.iter().enumerate() {
        for (nth, window) in windows.into_iter().enumerate() {
            let (offset, limit, descending) = pages[(at + nth) % pages.len()];
            let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            // Sometimes the records that have none of the values, or not these others.
            let [values, excluded] = match (at + nth) % 4 {
                0 => [none, *values],
                1 => [*values, [&["s1"], &["b"], &[], &[]]],
                2 => [*values, [&["s1", "s2"], &[], &["x"], &[]]],
                _ => [*values, none],
            };
            let [values, excluded] = [values.map(owned), excluded.map(owned)];
            all.push(Request { values, excluded, window, offset, limit, descending });
        }
    }
    all
}

#[test]
fn a_long_log_answers_as_a_plain_list_does() {
    // A chunk can be longer than a full one: many messages may be concatenated on one line.
    let lengths = [FULL, FULL + 5000, 3, 9000, 1, 1, 8191];
    let list: Vec<Plain> = (0..lengths.iter().sum()).map(usual).collect();
    let (mut log, mut from) = (Log::default(), 0);
    for length in lengths {
        log = log.with(run(&list[from..from + length]));
        from += length;
    }
    check_whole(&log, &list);
    check_all(&log, &list, &questions(list.len()));
}

#[test]
fn a_log_that_grows_by_single_messages_stays_a_few_runs() {
    let list: Vec<Plain> = (0..20_000).map(usual).collect();
    let mut log = Log::default();
    let mut most = 0;
    for message in &list {
        log = log.with(run(std::slice::from_ref(message)));
        most = most.max(log.chunks().count());
    }
    // The full ones among them hold at least an eighth of the maximum.
    assert!(most <= 48 + list.len() / (FULL / 8), "{most} runs");
    check_whole(&log, &list);
    check_all(&log, &list, &questions(list.len()));
}

#[test]
fn the_newest_segments_of_a_log_answer_as_their_list_does() {
    // Of equal times, some are in several chunks.
    // Where a segment of 103 ends, seven chunks of one message wait for an eighth to be joined with.
    let message = |number: usize| {
        let Plain { time, .. } = usual(number);
        let time = time.map(|time| time.clamp(450, 900));
        Plain { segment: number as u64 / 103, time, ..usual(number) }
    };
    let list: Vec<Plain> = (0..1_000).map(message).collect();
    let one = |log: Log, message| log.with(run(std::slice::from_ref(message)));
    let log = list.iter().fold(Log::default(), one);
    check_whole(&log, &list);
    let newer: Vec<Plain> = list.into_iter().filter(|message| message.segment >= 5).collect();
    let log = log.from_segment(5);
    check_whole(&log, &newer);
    check_all(&log, &newer, &questions(newer.len()));
}
