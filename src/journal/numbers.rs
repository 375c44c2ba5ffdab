//! Numbers as SQLite has them: times, counts, places. A damaged file may have any.

use std::{
    ops::Range,
    time::{SystemTime, UNIX_EPOCH},
};

/// How many places a run has in the tables of what happened.
const PLACES: i64 = 1 << 32;

/// The places of a run in the tables of what happened. A damaged file may have any number.
pub(super) fn places(number: i64) -> Range<i64> {
    number.saturating_mul(PLACES)..number.saturating_add(1).saturating_mul(PLACES)
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// A number as SQLite has them.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The same of a count.
pub(super) fn of_usize(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Times and counts are never negative, whatever a file says.
pub(super) fn positive(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A time as people read it, where they are.
pub(super) fn shown(time: u64) -> String {
    let time = jiff::Timestamp::from_millisecond(signed(time)).unwrap_or_default();
    time.to_zoned(jiff::tz::TimeZone::system()).strftime("%F %T").to_string()
}
