//! Maps positions of compiled code to positions of its source.

/// Where each piece of compiled code comes from. Lines and columns count from 1, columns in bytes.
#[derive(Debug, Clone, Default)]
pub struct Positions {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub compiled: (u32, u32),
    pub source: (u32, u32),
    /// How many bytes of the piece are the same in both texts.
    pub same: u32,
}

impl Positions {
    /// `pieces` are sorted by position in the compiled code.
    pub fn new(pieces: Vec<Piece>) -> Self {
        Self { pieces }
    }

    /// The line and column in the source; `None` for code that the compiler added.
    pub fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let next = self.pieces.partition_point(|piece| piece.compiled <= (line, column));
        let piece = self.pieces.get(next.checked_sub(1)?).filter(|piece| piece.compiled.0 == line)?;
        let into = (column - piece.compiled.1).min(piece.same);
        Some((piece.source.0, piece.source.1 + into))
    }
}
