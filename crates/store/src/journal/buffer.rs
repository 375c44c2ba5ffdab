//! Buffers events that are not written yet, including the current text of models.

use lmthing_base::event::{Agent, DeltaRecord, RecordedEvent};

/// An incomplete line of text is withheld, because a part of a secret would not be recognized; but not a longer one.
const MAX_LINE: usize = 64 << 10;

/// Events in order. Consecutive deltas of one agent's model are joined.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    items: Vec<BufferedEvent>,
    latest: u64,
    /// The time of the latest event that was taken: all following ones are at least as late.
    handed_out: u64,
}

#[derive(Debug)]
struct BufferedEvent {
    recorded: RecordedEvent,
    is_open: bool,
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn add(&mut self, recorded: Option<RecordedEvent>, agent: &Agent, time: u64) {
        self.latest = time;
        let open = self.items.iter_mut().rev().find(|item| item.is_of(agent));
        match (open, recorded) {
            (Some(BufferedEvent { recorded: RecordedEvent::Delta(open), .. }), Some(RecordedEvent::Delta(piece)))
                if piece.continues(open) =>
            {
                open.text.push_str(&piece.text);
            }
            (open, recorded) => {
                if let Some(open) = open {
                    open.is_open = false;
                }
                let Some(recorded) = recorded else { return };
                let is_open = matches!(recorded, RecordedEvent::Delta(_));
                self.items.push(BufferedEvent { recorded, is_open });
            }
        }
    }

    /// Takes what is to be written now: everything at the end of the run, otherwise without incomplete lines of text.
    pub(super) fn take(&mut self, is_end: bool) -> Vec<RecordedEvent> {
        let earliest = std::mem::replace(&mut self.handed_out, self.latest);
        let mut out = Vec::with_capacity(self.items.len());
        for BufferedEvent { recorded, is_open } in std::mem::take(&mut self.items) {
            let RecordedEvent::Delta(mut piece) = recorded else {
                out.push(recorded);
                continue;
            };
            piece.time = piece.time.max(earliest);
            if is_open && !is_end {
                let rest = rest_of(&mut piece);
                self.items.push(BufferedEvent { recorded: RecordedEvent::Delta(rest), is_open });
            }
            if !piece.text.is_empty() {
                out.push(RecordedEvent::Delta(piece));
            }
        }
        out
    }
}

impl BufferedEvent {
    fn is_of(&self, agent: &Agent) -> bool {
        matches!(&self.recorded, RecordedEvent::Delta(piece) if self.is_open && piece.agent == *agent)
    }
}

/// Splits a text after its last complete line.
fn rest_of(piece: &mut DeltaRecord) -> DeltaRecord {
    let whole = piece.text.rfind('\n').map_or(0, |end| end + 1);
    let whole = if piece.text.len() - whole > MAX_LINE { piece.text.len() } else { whole };
    let rest = piece.text.split_off(whole);
    piece.with_text(rest)
}
