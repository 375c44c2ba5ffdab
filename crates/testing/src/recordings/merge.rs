//! Merges new exchanges into a recording: old exchanges keep their positions, new ones take freed positions or go to
//! the end.

use std::sync::Arc;

use super::{
    Mode,
    recording::{Entry, Origin, Recording},
};
use lmthing_providers::RecordedExchange;

pub(super) struct MergedExchanges {
    pub(super) exchanges: Vec<Arc<RecordedExchange>>,
    pub(super) recorded: usize,
    pub(super) dropped: usize,
}

#[derive(Clone, Copy)]
struct Slot<'a> {
    old: &'a Entry,
    /// `None` if the old exchange is dropped.
    holds: Option<&'a Entry>,
}

/// `is_known` says that every user of the recording has run, so that unused exchanges can be dropped.
pub(super) fn merge(recording: &Recording, mode: Mode, is_known: bool) -> MergedExchanges {
    let mut new: Vec<&Entry> = recording.entries.iter().filter(|entry| entry.origin == Origin::New).collect();
    // Sorted by request, since the order of the answers depends on threads and the network.
    new.sort_by(|a, b| a.used.cmp(&b.used));
    let replaced =
        |old: &Entry| mode == Mode::RecordAll && new.iter().any(|new| new.exchange.has_same_request(&old.exchange));
    let is_dropped = |old: &Entry| old.used.is_none() && (is_known || replaced(old));
    let old = recording.entries.iter().filter(|entry| entry.origin == Origin::File);
    let mut slots: Vec<Slot<'_>> = old.map(|old| Slot { old, holds: (!is_dropped(old)).then_some(old) }).collect();
    let gone = slots.iter().filter(|slot| slot.holds.is_none()).count();
    let mut appended = Vec::new();
    for entry in &new {
        match free_slot(&slots, entry) {
            Some(place) => slots[place].holds = Some(entry),
            None => appended.push(*entry),
        }
    }
    let merged = slots.iter().filter_map(|slot| slot.holds).chain(appended);
    let exchanges = merged.map(|entry| entry.exchange.clone()).collect();
    MergedExchanges { exchanges, recorded: new.len(), dropped: gone }
}

/// Returns the position where the same request was, or after the test's previous request, so that a diff shows a
/// changed request as changed.
fn free_slot(slots: &[Slot<'_>], entry: &Entry) -> Option<usize> {
    let same = |slot: &Slot<'_>| slot.holds.is_none() && slot.old.exchange.has_same_request(&entry.exchange);
    if let Some(place) = slots.iter().position(same) {
        return Some(place);
    }
    let (test, number) = entry.used.as_ref()?;
    // The last request of the same test before this one.
    let before = |slot: &Slot<'_>| {
        let used = slot.holds.and_then(|entry| entry.used.as_ref());
        used.filter(|(other, earlier)| other == test && earlier < number).map(|(_, earlier)| *earlier)
    };
    let places = slots.iter().enumerate().filter_map(|(place, slot)| Some((before(slot)?, place)));
    let from = places.max().map_or(0, |(_, place)| place + 1);
    slots[from..].iter().position(|slot| slot.holds.is_none()).map(|place| from + place)
}
