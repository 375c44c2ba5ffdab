//! Places in a text. Must not know what stands there.

use tsr_arena::Error;
use tsr_ast::NodeId;

use crate::code::Tree;

/// From byte to byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) struct Range {
    /// The first byte.
    pub(in crate::check) start: usize,
    /// The one behind the last.
    pub(in crate::check) end: usize,
}

impl Range {
    /// The bytes of a node.
    pub(in crate::check) fn of(tree: &Tree, node: NodeId) -> Result<Self, Error> {
        Ok(Range { start: tree.start(node)?, end: tree.end(node)? })
    }
}
