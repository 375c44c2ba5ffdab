//! Values of the sandbox as text: JSON for results and arguments, short text for the console.
//!
//! It uses the engine's functions as they were before any code ran; code that its getters run is under the clock like all
//! other code.

use rquickjs::{Ctx, Value};

use super::{
    intrinsics::{Intrinsics, NoData},
    json_writer::JsonWriter,
};

/// One console argument.
const MAX_INSPECTED: usize = 8 * 1024;

impl<'js> Intrinsics<'js> {
    /// A value as JSON text of at most `limit` bytes; none for `undefined`.
    ///
    /// # Errors
    /// See [`NoData`]. `what` (such as `the result`) begins the messages.
    pub(super) fn to_json(
        &self,
        ctx: &Ctx<'js>,
        value: &Value<'js>,
        limit: usize,
        what: &str,
    ) -> Result<Option<String>, NoData> {
        JsonWriter::new(ctx, self, limit, what).write(value)
    }

    /// A value for the console or for the message of an odd throw. Never fails; swallows what getters throw.
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
        // JSON has none of these.
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
