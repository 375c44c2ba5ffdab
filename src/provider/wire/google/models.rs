//! What the names of Gemini models tell.

/// The version of a model that stands for the newest one, whatever that is.
const NEWEST: (u32, u32) = (u32::MAX, 0);

/// The bare name of `models/Gemini-…` in lower case.
pub(super) fn bare_name(model_id: &str) -> String {
    model_id.rsplit('/').next().unwrap_or(model_id).to_ascii_lowercase()
}

/// `gemini-2.5-flash` is (2, 5); `None` for models that are not Gemini's. An alias without a version
/// (`gemini-flash-latest`) stands for the newest.
pub(super) fn version(name: &str) -> Option<(u32, u32)> {
    let number = name.strip_prefix("gemini-")?.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => Some(NEWEST),
    }
}
