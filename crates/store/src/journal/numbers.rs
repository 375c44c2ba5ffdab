//! Conversions of numbers for SQLite: times, counts, positions. A damaged file may contain any number.

use std::{
    ops::Range,
    time::{SystemTime, UNIX_EPOCH},
};

/// How many positions a run has in the tables `events` and `entries`.
const POSITIONS_PER_RUN: i64 = 1 << 32;

pub(super) fn position_range(number: i64) -> Range<i64> {
    number.saturating_mul(POSITIONS_PER_RUN)..number.saturating_add(1).saturating_mul(POSITIONS_PER_RUN)
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn count_to_sql(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Clamps times and counts, which are never negative in a valid file.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(super) fn local_time(time: u64) -> String {
    let time = jiff::Timestamp::from_millisecond(to_sql(time)).unwrap_or_default();
    time.to_zoned(jiff::tz::TimeZone::system()).strftime("%F %T").to_string()
}
