//! Strings of scripts as Rust text.

use rquickjs::{Ctx, Error, FromJs, Result, String as JsString, Value};

use lmthing_base::chat::read_json;

/// The text of a string. A lone surrogate, as in a string that was cut within an emoji, becomes U+FFFD.
///
/// # Errors
/// The pending exception if the engine has no memory left.
pub fn string_text(string: &JsString<'_>) -> Result<String> {
    match string.to_string() {
        // QuickJS encodes a lone surrogate as invalid UTF-8, but writes it as an escape in JSON.
        Err(Error::Utf8(_)) => {
            let json = string.ctx().json_stringify(string.as_value().clone())?;
            let json = json.map_or_else(|| Ok("\"\"".to_owned()), |json| json.to_string())?;
            Ok(read_json(&json).unwrap_or_default())
        }
        text => text,
    }
}

/// A string argument as `string_text` reads it. A `String` argument would fail for a lone surrogate.
pub struct WellFormed(pub String);

impl<'js> FromJs<'js> for WellFormed {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        string_text(&JsString::from_js(ctx, value)?).map(WellFormed)
    }
}
