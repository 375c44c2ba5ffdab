//! Places in a text. Must not know what stands there.

use tsr_arena::Error;
use tsr_ast::NodeId;

use crate::code::Tree;

/// From byte to byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The first byte.
    pub(super) start: usize,
    /// The one behind the last.
    pub(super) end: usize,
}

/// How far a path could be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Where they lead.
    pub(super) range: Range,
    /// How many keys of the path lead there.
    pub(super) depth: usize,
}

impl Range {
    /// The bytes of a node.
    pub(super) fn of(tree: &Tree, node: NodeId) -> Result<Self, Error> {
        Ok(Range { start: tree.start(node)?, end: tree.end(node)? })
    }
}
