//! What has happened and is not written yet: lines, and what models are saying just now. Must not know files.

use crate::event::{Agent, Piece, Recorded};

/// A line of text that is not over is kept back, as half a secret would not be known for one; but not a longer one.
const LONGEST_LINE: usize = 64 << 10;

/// What happened, in order. Pieces of what one agent's model says are joined.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    items: Vec<Item>,
    /// When the last of it happened.
    latest: u64,
    /// When the last that was handed out happened: nothing that follows is older.
    handed_out: u64,
}

#[derive(Debug)]
struct Item {
    recorded: Recorded,
    /// What is said may go on.
    is_open: bool,
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Takes note of something that happened to an agent, whether or not it is kept.
    pub(super) fn add(&mut self, recorded: Option<Recorded>, agent: &Agent, time: u64) {
        self.latest = time;
        let open = self.items.iter_mut().rev().find(|item| item.is_of(agent));
        match (open, recorded) {
            (Some(Item { recorded: Recorded::Piece(open), .. }), Some(Recorded::Piece(piece)))
                if piece.continues(open) =>
            {
                open.text.push_str(&piece.text);
            }
            (open, recorded) => {
                if let Some(open) = open {
                    open.is_open = false;
                }
                let Some(recorded) = recorded else { return };
                let is_open = matches!(recorded, Recorded::Piece(_));
                self.items.push(Item { recorded, is_open });
            }
        }
    }

    /// Hands out what is to be written now: everything at the end, else without lines of text that are not over.
    pub(super) fn take(&mut self, is_end: bool) -> Vec<Recorded> {
        let earliest = std::mem::replace(&mut self.handed_out, self.latest);
        let mut out = Vec::with_capacity(self.items.len());
        for Item { recorded, is_open } in std::mem::take(&mut self.items) {
            let Recorded::Piece(mut piece) = recorded else {
                out.push(recorded);
                continue;
            };
            piece.time = piece.time.max(earliest);
            if is_open && !is_end {
                let rest = rest_of(&mut piece);
                self.items.push(Item { recorded: Recorded::Piece(rest), is_open });
            }
            if !piece.text.is_empty() {
                out.push(Recorded::Piece(piece));
            }
        }
        out
    }
}

impl Item {
    /// Whether it is what this agent's model is saying.
    fn is_of(&self, agent: &Agent) -> bool {
        matches!(&self.recorded, Recorded::Piece(piece) if self.is_open && piece.agent == *agent)
    }
}

/// Parts a text behind its last whole line.
fn rest_of(piece: &mut Piece) -> Piece {
    let whole = piece.text.rfind('\n').map_or(0, |end| end + 1);
    let whole = if piece.text.len() - whole > LONGEST_LINE { piece.text.len() } else { whole };
    let rest = piece.text.split_off(whole);
    piece.with_text(rest)
}
