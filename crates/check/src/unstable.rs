//! Compares the request of a render with those of another engine and of a second step (`lmthing check --cache`,
//! docs/reference/check.md).

use std::collections::HashSet;

use lmthing_engine::bindings::inspect::{Fault, FaultSeverity, Piece, PieceKind};

/// Characters that are shown of a text, and how many of them stand before the difference.
const MAX_SHOWN: usize = 40;
const SHOWN_BEFORE: usize = 14;

const CODE: &str = "cache";

/// The pieces of the requests of one engine.
#[derive(Debug, Default)]
pub(super) struct SentPieces {
    pub(super) first: Vec<Piece>,
    /// Those of the second step; `None` if there was none.
    pub(super) second: Option<Result<Vec<Piece>, Fault>>,
}

/// Warnings of pieces that are not the same in all three requests. `other` are the pieces of the other engine.
pub(super) fn faults(sent: &SentPieces, other: &Result<Vec<Piece>, Fault>) -> Vec<Fault> {
    let second = sent.second.as_ref();
    let requests = Requests {
        first: &sent.first,
        second: second.and_then(|second| second.as_deref().ok()),
        other: other.as_deref().ok(),
    };
    let not_compared = [
        second.and_then(|second| Some(("the second step was not compared", second.as_ref().err()?))),
        other.as_ref().err().map(|fault| ("the other render, months later, was not compared", fault)),
    ];
    let notes = not_compared.into_iter().flatten().map(|(what, fault)| Fault {
        message: format!("{what}: {}", fault.message),
        code: CODE,
        ..fault.clone().with_severity(FaultSeverity::Note)
    });
    requests.unstable().into_iter().chain(notes).collect()
}

struct Requests<'a> {
    first: &'a [Piece],
    second: Option<&'a [Piece]>,
    other: Option<&'a [Piece]>,
}

impl<'a> Requests<'a> {
    fn unstable(&self) -> Vec<Fault> {
        let mut known = HashSet::new();
        let everywhere = [Some(self.first), self.second, self.other].into_iter().flatten().flatten();
        let named = everywhere.filter(|piece| piece.kind != PieceKind::Message);
        let pieces = named.filter(|piece| known.insert((piece.kind.noun(), piece.name.as_str())));
        let mut faults: Vec<Fault> = pieces.flat_map(|piece| self.unstable_in(piece)).collect();
        faults.extend(self.messages());
        faults
    }

    fn unstable_in(&self, piece: &Piece) -> Vec<Fault> {
        let [first, second, other] = [Some(self.first), self.second, self.other].map(|pieces| {
            pieces.map(|pieces| pieces.iter().find(|other| other.kind == piece.kind && other.name == piece.name))
        });
        let first = first.flatten();
        let on_step = second.and_then(|second| Change::between(first, second));
        let in_run = other.and_then(|other| Change::between(first, other));
        if on_step.is_none() && in_run.is_none() {
            return Vec::new();
        }
        // The functions that differ are the reason why their section does.
        let parts = |piece: Option<Option<&'a Piece>>| piece.map(|piece| piece.map_or(&[][..], |piece| &piece.parts));
        let of_parts =
            Requests { first: first.map_or(&[], |first| &first.parts), second: parts(second), other: parts(other) };
        let named = of_parts.unstable();
        if !named.is_empty() {
            return named;
        }
        Difference { piece, on_step, in_run }.fault().into_iter().collect()
    }

    /// The first message that differs, except the last of a request: nothing follows it.
    fn messages(&self) -> Option<Fault> {
        let first = messages(self.first);
        let second = self.second.map(messages);
        let other = self.other.map(messages);
        let step = second.as_ref().and_then(|second| {
            let index = (0..first.len()).find(|index| !is_same(Some(first[*index]), second.get(*index).copied()))?;
            Some((index, Change::between(Some(first[index]), second.get(index).copied())?))
        });
        let run = other.and_then(|other| {
            let with_next = first.len().min(other.len()).saturating_sub(usize::from(first.len() == other.len()));
            let index = (0..with_next).find(|index| !is_same(Some(first[*index]), Some(other[*index])))?;
            Some((index, Change::between(Some(first[index]), Some(other[index]))?))
        });
        let index = [&step, &run].into_iter().flatten().map(|(index, _)| *index).min()?;
        let at = |change: Option<(usize, Change<'a>)>| change.filter(|(at, _)| *at == index).map(|(_, change)| change);
        let on_step = at(step);
        // An effect may have replaced it.
        let replaced = second.and_then(|second| second.get(index).copied()).filter(|_| on_step.is_some());
        Difference { piece: replaced.unwrap_or(first[index]), on_step, in_run: at(run) }.fault()
    }
}

fn messages(pieces: &[Piece]) -> Vec<&Piece> {
    pieces.iter().filter(|piece| piece.kind == PieceKind::Message).collect()
}

fn is_same(one: Option<&Piece>, other: Option<&Piece>) -> bool {
    one.map(|piece| &piece.texts) == other.map(|piece| &piece.texts)
}

/// How a piece differs between two requests.
#[derive(Clone, Copy)]
enum Change<'a> {
    Appears,
    Disappears,
    Text { aspect: &'static str, before: &'a str, after: &'a str },
}

impl<'a> Change<'a> {
    fn between(before: Option<&'a Piece>, after: Option<&'a Piece>) -> Option<Self> {
        match (before, after) {
            (None, None) => None,
            (None, Some(_)) => Some(Change::Appears),
            (Some(_), None) => Some(Change::Disappears),
            (Some(before), Some(after)) => {
                let mut texts = before.texts.iter().zip(&after.texts);
                let ((aspect, before), (_, after)) = texts.find(|(before, after)| before != after)?;
                Some(Change::Text { aspect, before, after })
            }
        }
    }

    fn is_of_order(self) -> bool {
        let Change::Text { before, after, .. } = self else { return false };
        let sorted = |text: &'a str| {
            let mut words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
            words.sort_unstable();
            words
        };
        sorted(before) == sorted(after)
    }
}

struct Difference<'a> {
    piece: &'a Piece,
    on_step: Option<Change<'a>>,
    in_run: Option<Change<'a>>,
}

impl Difference<'_> {
    fn fault(&self) -> Option<Fault> {
        let change = self.on_step.or(self.in_run)?;
        let Piece { kind, name, location, place, .. } = self.piece;
        let aspect = match change {
            Change::Text { aspect, .. } if !aspect.is_empty() => format!("the {aspect} of "),
            _ => String::new(),
        };
        let what = match kind {
            PieceKind::Option => format!("{aspect}config.options.{name}"),
            PieceKind::Model => "the model of config".to_owned(),
            PieceKind::Message => format!("message {name}"),
            kind => format!("{aspect}{} `{name}`", kind.noun()),
        };
        let message = format!("{what} {}, so the provider's cache ends there: {}", self.verb(), self.values());
        let fault = Fault::error(CODE, &[], message).with_severity(FaultSeverity::Warning);
        let fault = Fault { location: location.clone(), place: place.clone(), ..fault };
        Some(fault.with_hint(Some(self.hint(change).to_owned())))
    }

    fn verb(&self) -> &'static str {
        match (self.on_step, self.in_run) {
            (Some(Change::Text { .. }), Some(_)) => "changes on every step",
            (Some(Change::Text { .. }), None) => "changes from the first step to the second",
            (Some(Change::Disappears), _) => "is missing on the second step",
            (Some(Change::Appears), _) => "is missing on the first step",
            _ => "differs from run to run",
        }
    }

    fn values(&self) -> String {
        match self.on_step.or(self.in_run) {
            Some(change @ Change::Text { before, after, .. }) => {
                let (before, after) = difference(before, after);
                let order = if change.is_of_order() { ", the same in another order" } else { "" };
                format!("`{before}`, then `{after}`{order}")
            }
            Some(Change::Appears) if self.on_step.is_some() => "the second has it".to_owned(),
            Some(Change::Disappears) if self.on_step.is_some() => "the first has it".to_owned(),
            _ => "one has it, another has not".to_owned(),
        }
    }

    fn hint(&self, change: Change<'_>) -> &'static str {
        let is_text = matches!(change, Change::Text { .. });
        match self.piece.kind {
            _ if change.is_of_order() => "sort it, or keep one order",
            PieceKind::Option | PieceKind::Model => "use the same value in all runs",
            PieceKind::Message if self.on_step.is_some() => {
                "keep earlier messages as they were, and add a new one at the end"
            }
            PieceKind::Message => "put it last: what precedes it is then the same in all runs",
            PieceKind::Tool | PieceKind::Function if is_text => {
                "keep its definition the same; what changes can be part of its result, or of the last message"
            }
            PieceKind::Tool | PieceKind::Function => {
                "define it on every step; its function can refuse a call that comes at the wrong time"
            }
            PieceKind::Section | PieceKind::Variable if !is_text => {
                "define it on every step, or add a message once it is needed"
            }
            PieceKind::Section | PieceKind::Variable if self.in_run.is_none() => {
                "keep it the same for the whole run; what changes can be part of the result of a tool"
            }
            PieceKind::Section | PieceKind::Variable if self.on_step.is_none() => {
                "write it into the last message: what precedes it is then the same in all runs"
            }
            PieceKind::Section | PieceKind::Variable => {
                "write it into the last message, which stays as it is, or keep the first value for the run: \
                 const [value] = defState('value', …)"
            }
        }
    }
}

/// Where two texts differ, with a few characters before.
fn difference(before: &str, after: &str) -> (String, String) {
    let same = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
    let start = same.saturating_sub(SHOWN_BEFORE);
    let shown = |text: &str| {
        let part = text.chars().skip(start).take(MAX_SHOWN);
        let is_cut = text.chars().nth(start + MAX_SHOWN).is_some();
        let part =
            part.flat_map(|letter| if letter.is_control() { letter.escape_default().collect() } else { vec![letter] });
        let cut = |is_cut: bool| is_cut.then_some('…');
        cut(start > 0).into_iter().chain(part).chain(cut(is_cut)).collect::<String>()
    };
    (shown(before), shown(after))
}
