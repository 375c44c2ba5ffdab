//! Names and versions of models, from their ids.

const NEWEST: (u32, u32) = (u32::MAX, 0);

pub(super) fn bare_name(model_id: &str) -> String {
    model_id.rsplit('/').next().unwrap_or(model_id).to_ascii_lowercase()
}

pub(super) fn version(name: &str) -> Option<(u32, u32)> {
    let number = name.strip_prefix("gemini-")?.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => Some(NEWEST),
    }
}
