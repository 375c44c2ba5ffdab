//! Reading QuickJS stack traces: `    at name (file:line:column)`, or `    at file:line:column`.
//!
//! Columns in a stack count UTF-8 bytes, as QuickJS counts them; a diagnostic's count characters.

use super::source::Sources;
use crate::loader::{self, Modules, is_package};
use lmthing_base::diagnostic::{Diagnostic, Frame, Location};
use lmthing_base::parser::{Access, AccessKind};

/// One call on the stack, as the engine tells it.
pub(super) struct RawFrame {
    /// Its column counts bytes.
    pub(super) frame: Frame,
    /// What it called: the name of the frame above. `None` for the innermost, and where that has no name.
    pub(super) called: Option<String>,
    /// Whether it is the innermost of all, the engine's own functions included.
    pub(super) is_innermost: bool,
}

/// The frames of `stack` that lie in the user's files, innermost first.
pub(super) fn frames(modules: &Modules, stack: &str) -> Vec<RawFrame> {
    let stack = loader::with_source_positions(modules, stack);
    let mut called = None;
    let mut frames = Vec::new();
    let mut is_innermost = true;
    for line in stack.lines() {
        let Some(call) = line.trim_start().strip_prefix("at ") else { continue };
        let (function, location) = parse(call);
        if let Some(location) = location.filter(|location| modules.is_file(&location.path)) {
            let frame = Frame { function: function.clone(), location };
            frames.push(RawFrame { frame, called: called.take(), is_innermost });
        }
        called = function;
        is_innermost = false;
    }
    frames
}

/// The frames as they are shown: each at the name of what it called.
pub(super) fn shown(sources: &Sources<'_>, frames: Vec<RawFrame>) -> Vec<Frame> {
    frames.into_iter().map(|raw| shown_frame(sources, raw)).collect()
}

fn shown_frame(sources: &Sources<'_>, raw: RawFrame) -> Frame {
    let Frame { function, mut location } = raw.frame;
    // Packages are not the author's to look at, and often large.
    if !is_package(&location.path) {
        let source = sources.of(&location.path);
        let sites = source.accesses_at(location.line, location.column);
        let calls: Vec<&Access> = sites.into_iter().filter(|site| site.kind != AccessKind::Read).collect();
        let callee = match &raw.called {
            // The name may be another than the one in the text, which is the function's own.
            Some(called) => calls.iter().find(|site| is_named(site, called)),
            None if raw.is_innermost => None,
            None => calls.first().filter(|_| calls.len() == 1),
        };
        if let Some(callee) = callee {
            (location.line, location.column) = source.position(callee.offset);
        }
    }
    Frame { function, location: sources.in_characters(location) }
}

/// Whether a site calls what a trace names so: `parse`, `Object.parse`, `new Thing`.
fn is_named(site: &Access, called: &str) -> bool {
    let name = called.rsplit(['.', ' ']).next().unwrap_or(called);
    !name.is_empty() && site.name() == name
}

/// Reads `name (file:line:column)`; a native function has no place.
fn parse(call: &str) -> (Option<String>, Option<Location>) {
    let (function, place) = match call.strip_suffix(')').and_then(|call| call.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, call),
    };
    // `<eval>` and `<anonymous>` are not names that anybody wrote.
    let function = function.filter(|name| !name.starts_with('<')).map(str::to_owned);
    (function, location(place))
}

fn location(place: &str) -> Option<Location> {
    // From the right: a path may hold colons.
    let (rest, column) = place.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    Some(Location { path: path.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}

/// The place to show: the innermost frame of the user's own code, or, when there is none, of a package.
pub(super) fn place(frames: &[Frame]) -> Option<usize> {
    // A package that throws at wrong arguments was called from somewhere, and that is the line to look at.
    let own = frames.iter().position(|frame| !is_package(&frame.location.path));
    own.or((!frames.is_empty()).then_some(0))
}

/// The imports by which the author's own code came to a package whose code failed before any function of it was called.
pub(super) fn imports(modules: &Modules, sources: &Sources<'_>, diagnostic: &Diagnostic) -> Vec<Frame> {
    let is_own = |frame: &Frame| !is_package(&frame.location.path);
    let outermost = diagnostic.stack.last().map(|frame| &frame.location).or(diagnostic.location.as_ref());
    let Some(outermost) = outermost.filter(|_| !diagnostic.stack.iter().any(is_own)) else { return Vec::new() };
    let chain = loader::import_chain(modules, &outermost.path);
    let frame = |site: loader::ImportSite| Frame {
        function: Some(format!("import '{}'", site.specifier)),
        location: sources.in_characters(site.location),
    };
    chain.into_iter().map(frame).collect()
}
