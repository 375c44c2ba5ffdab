//! Reading QuickJS stack traces: `    at name (file:line:column)`, or `    at file:line:column`.
//!
//! Columns in a stack count UTF-8 bytes, as QuickJS counts them; a diagnostic's count characters.

use std::collections::HashMap;

use crate::diagnostic::{Frame, Location};
use crate::script::loader::{self, Modules};

/// The frames of `stack` that lie in the user's files, innermost first.
pub(super) fn frames(modules: &Modules, stack: &str) -> Vec<Frame> {
    let mut texts = Texts { modules, texts: HashMap::new() };
    let stack = loader::with_source_positions(modules, stack);
    let user_frames = stack.lines().filter_map(frame).filter(|frame| modules.is_file(&frame.location.path));
    user_frames.map(|frame| Frame { location: texts.in_characters(frame.location), ..frame }).collect()
}

/// `location` with its column in characters instead of bytes.
pub(super) fn in_characters(modules: &Modules, location: Location) -> Location {
    Texts { modules, texts: HashMap::new() }.in_characters(location)
}

/// The texts of modules that one stack mentions.
struct Texts<'a> {
    modules: &'a Modules,
    texts: HashMap<String, Option<String>>,
}

impl Texts<'_> {
    fn in_characters(&mut self, location: Location) -> Location {
        let Location { path, line, column } = location;
        let text = self.texts.entry(path.clone()).or_insert_with(|| self.modules.text_of(&path));
        let bytes = column.saturating_sub(1) as usize;
        let before = text.as_deref().and_then(|text| text.lines().nth(line.saturating_sub(1) as usize)?.get(..bytes));
        let characters = before.and_then(|before| u32::try_from(before.chars().count() + 1).ok());
        Location { path, line, column: characters.unwrap_or(column) }
    }
}

/// Parses one line; the message above the frames and native frames are `None`.
fn frame(line: &str) -> Option<Frame> {
    let call = line.trim_start().strip_prefix("at ")?;
    let (function, place) = match call.strip_suffix(')').and_then(|call| call.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, call),
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let location = Location { path: path.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? };
    let function = function.filter(|name| !name.starts_with('<')).map(str::to_owned);
    Some(Frame { function, location })
}

/// The place to show: the innermost frame of the user's own code, or, when there is none, of a package.
pub(super) fn place(frames: &[Frame]) -> Option<Location> {
    let own = frames.iter().find(|frame| !frame.location.path.contains("/node_modules/"));
    own.or(frames.first()).map(|frame| frame.location.clone())
}

/// The text of the line of `location`.
pub(super) fn source_line(modules: &Modules, location: &Location) -> Option<String> {
    let text = modules.text_of(&location.path)?;
    text.lines().nth(location.line.checked_sub(1)? as usize).map(str::to_owned)
}
