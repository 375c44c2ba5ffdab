//! Time zones and their offsets from UTC. The tzdb is included in the program.

use std::cell::RefCell;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{self, TimeZone};
use rquickjs::{Ctx, Function, Object, Result};

use crate::string_text::WellFormed;

/// Recently used zones, most recent last: programs usually use one or two.
#[derive(Default)]
struct Recent(RefCell<Vec<(String, TimeZone)>>);

impl Recent {
    fn with<T>(&self, name: &str, work: impl FnOnce(&TimeZone) -> Option<T>) -> Option<T> {
        let mut zones = self.0.borrow_mut();
        let index = match zones.iter().position(|(known, _)| known == name) {
            Some(index) => index,
            None => {
                zones.push((name.to_owned(), tz::db().get(name).ok()?));
                zones.len() - 1
            }
        };
        work(&zones[index].1)
    }
}

/// Exports `zoneName(text)`: the canonical spelling; `zoneOffset(zone, milliseconds)`: seconds to add to UTC;
/// `isDaylightTime(zone, milliseconds)`; `wallToUtc(zone, milliseconds)`: converts local time to UTC.
pub(super) fn export<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    let name = |WellFormed(text): WellFormed| tz::db().get(&text).ok()?.iana_name().map(str::to_owned);
    exports.set("zoneName", Function::new(ctx.clone(), name)?)?;
    let names = || tz::db().available().map(|name| name.as_str().to_owned()).collect::<Vec<_>>();
    exports.set("zoneNames", Function::new(ctx.clone(), names)?)?;
    exports.set("systemZone", Function::new(ctx.clone(), system_zone)?)?;

    let recent = Recent::default();
    let offset = move |zone: String, milliseconds: f64| {
        recent.with(&zone, |zone| Some(zone.to_offset(timestamp(milliseconds)?).seconds()))
    };
    exports.set("zoneOffset", Function::new(ctx.clone(), offset)?)?;

    let recent = Recent::default();
    let daylight = move |name: String, milliseconds: f64| {
        recent.with(&name, |zone| {
            let info = zone.to_offset_info(timestamp(milliseconds)?);
            // The tzdb has negative daylight saving time in Irish winters; ICU reports it in summers.
            let is_reversed = name == "Europe/Dublin" && milliseconds > IRISH_WINTERS_SINCE;
            Some(if is_reversed { info.offset().seconds() != 0 } else { info.dst().is_dst() })
        })
    };
    exports.set("isDaylightTime", Function::new(ctx.clone(), daylight)?)?;

    let recent = Recent::default();
    let wall = move |zone: String, milliseconds: f64| {
        recent.with(&zone, |zone| {
            let wall: DateTime = tz::Offset::UTC.to_datetime(timestamp(milliseconds)?);
            // In a gap the offset before it applies; of two times the earlier one is meant.
            let time = zone.to_ambiguous_timestamp(wall).compatible().ok()?;
            Some(time.as_millisecond() as f64)
        })
    };
    exports.set("wallToUtc", Function::new(ctx.clone(), wall)?)
}

/// 31 October 1971.
const IRISH_WINTERS_SINCE: f64 = 57_722_400_000.0;

/// `None` outside of the calendar's range (before -9999, after 9999).
fn timestamp(milliseconds: f64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds as i64).ok()
}

/// Whether local time is UTC, as far as this is visible without the tzdb.
pub(crate) fn is_utc() -> bool {
    match std::env::var("TZ") {
        Ok(zone) => matches!(zone.trim_start_matches(':'), "" | "UTC" | "Etc/UTC"),
        Err(_) => system_zone().is_none_or(|zone| matches!(zone.as_str(), "UTC" | "Etc/UTC")),
    }
}

/// The zone that `/etc/localtime` points to.
fn system_zone() -> Option<String> {
    let target = std::fs::canonicalize("/etc/localtime").ok()?;
    let path = target.to_str()?;
    let (_, name) = path.rsplit_once("zoneinfo/")?;
    Some(name.to_owned())
}
