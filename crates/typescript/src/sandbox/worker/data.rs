//! Formats values as text: JSON for results and arguments, short text for the console.
//!
//! Uses the captured intrinsics, not those that code may have replaced. Getters may run code, within the time limit.

use rquickjs::{Ctx, Value};

use super::{
    intrinsics::{Intrinsics, NoData},
    json_writer::JsonWriter,
};

/// The limit of one console argument in bytes.
const MAX_INSPECTED: usize = 8 * 1024;

impl<'js> Intrinsics<'js> {
    /// A value as JSON text of at most `limit` bytes; `None` for `undefined`.
    pub(super) fn to_json(
        &self,
        ctx: &Ctx<'js>,
        value: &Value<'js>,
        limit: usize,
        what: &str,
    ) -> Result<Option<String>, NoData> {
        JsonWriter::new(ctx, self, limit, what).write(value)
    }

    /// Formats a value for the console or for the message of an unusual exception. Exceptions of getters are ignored.
    pub(super) fn inspect(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> String {
        if let Some(string) = value.as_string() {
            return self.text(ctx, string).unwrap_or_else(|_| {
                ctx.catch();
                "(a string too long to show)".to_owned()
            });
        }
        if value.is_undefined() {
            return "undefined".to_owned();
        }
        if value.is_big_int() {
            return format!("{}n", self.digits(ctx, value));
        }
        if value.is_symbol() {
            return self.call_text(ctx, &self.symbol_to_string, value);
        }
        if value.is_function() {
            return "[function]".to_owned();
        }
        // JSON cannot represent these.
        if let Some(number) = value.as_number().filter(|number| !number.is_finite()) {
            return if number.is_nan() {
                "NaN".to_owned()
            } else {
                format!("{}Infinity", if number > 0.0 { "" } else { "-" })
            };
        }
        match self.to_json(ctx, value, MAX_INSPECTED, "the value") {
            Ok(text) => text.unwrap_or_else(|| "undefined".to_owned()),
            Err(NoData::Because(reason)) => format!("[{reason}]"),
            Err(NoData::Thrown) => {
                ctx.catch();
                "[a value whose properties cannot be read]".to_owned()
            }
        }
    }
}
