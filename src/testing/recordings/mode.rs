//! Who answers what tests ask.

/// Who answers what tests ask of models. Mock models, and those written in JavaScript, always answer themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Recordings alone; no model is asked.
    #[default]
    Replay,
    /// Recordings, and the models for what is not recorded yet (`--record`).
    Record,
    /// The models for everything, and all is recorded anew (`--record --live`).
    RecordAll,
    /// The models, also where there are recordings, which stay as they are (`--live`).
    Live,
}

impl Mode {
    /// Whether recordings are written.
    pub(super) fn is_recording(self) -> bool {
        matches!(self, Mode::Record | Mode::RecordAll)
    }
}
