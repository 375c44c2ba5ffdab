//! What a recording is to hold after the tests: what was there keeps its place, what nobody asks for goes when that is certain,
//! and what is new stands where something went, or behind. Must not know files.

use std::sync::Arc;

use super::{
    book::{Book, Entry, Origin},
    mode::Mode,
};
use crate::provider::RecordedExchange;

/// What a recording is to hold.
pub(super) struct Settled {
    pub(super) exchanges: Vec<Arc<RecordedExchange>>,
    /// How many of them are new.
    pub(super) recorded: usize,
    /// How many that were there are gone.
    pub(super) dropped: usize,
}

/// A place in the file.
#[derive(Clone, Copy)]
struct Slot<'a> {
    old: &'a Entry,
    /// What it holds then; nothing where the old exchange goes.
    holds: Option<&'a Entry>,
}

/// Puts a recording together. `is_known` says that everything has run that uses it, so that what was not used is not needed.
pub(super) fn settle(book: &Book, mode: Mode, is_known: bool) -> Settled {
    let mut new: Vec<&Entry> = book.entries.iter().filter(|entry| entry.origin == Origin::New).collect();
    // Not in the order in which the answers came: that is the threads' and the network's.
    new.sort_by(|a, b| a.used.cmp(&b.used));
    let replaced =
        |old: &Entry| mode == Mode::RecordAll && new.iter().any(|new| new.exchange.has_same_request(&old.exchange));
    let goes = |old: &Entry| old.used.is_none() && (is_known || replaced(old));
    let old = book.entries.iter().filter(|entry| entry.origin == Origin::File);
    let mut slots: Vec<Slot<'_>> = old.map(|old| Slot { old, holds: (!goes(old)).then_some(old) }).collect();
    let gone = slots.iter().filter(|slot| slot.holds.is_none()).count();
    let mut behind = Vec::new();
    for entry in &new {
        match free_slot(&slots, entry) {
            Some(place) => slots[place].holds = Some(entry),
            None => behind.push(*entry),
        }
    }
    let kept = slots.iter().filter_map(|slot| slot.holds).chain(behind);
    let exchanges = kept.map(|entry| entry.exchange.clone()).collect();
    Settled { exchanges, recorded: new.len(), dropped: gone }
}

/// Where a new exchange stands best: where the same was asked, else behind what the test asked before, so that a request that
/// has changed is shown as changed.
fn free_slot(slots: &[Slot<'_>], entry: &Entry) -> Option<usize> {
    let same = |slot: &Slot<'_>| slot.holds.is_none() && slot.old.exchange.has_same_request(&entry.exchange);
    if let Some(place) = slots.iter().position(same) {
        return Some(place);
    }
    let (test, number) = entry.used.as_ref()?;
    // The last of what the same test asked before.
    let before = |slot: &Slot<'_>| {
        let used = slot.holds.and_then(|entry| entry.used.as_ref());
        used.filter(|(other, earlier)| other == test && earlier < number).map(|(_, earlier)| *earlier)
    };
    let places = slots.iter().enumerate().filter_map(|(place, slot)| Some((before(slot)?, place)));
    let from = places.max().map_or(0, |(_, place)| place + 1);
    slots[from..].iter().position(|slot| slot.holds.is_none()).map(|place| from + place)
}
