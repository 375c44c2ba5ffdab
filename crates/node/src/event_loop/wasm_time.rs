//! How long code translated from WebAssembly has run: it is slow, and nothing else would say why a program waits.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// After so much of it there is a warning.
const LONG: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct WasmTime {
    spent: Cell<Duration>,
    running: RefCell<Option<(Instant, String)>>,
    has_warned: Cell<bool>,
}

impl WasmTime {
    /// Code of a module begins to run; `origin` is the package or file that loaded the module.
    pub(crate) fn begin(&self, origin: String) {
        self.running.replace(Some((Instant::now(), origin)));
    }

    pub(crate) fn end(&self) {
        if let Some((since, _)) = self.running.take() {
            self.spent.set(self.spent.get() + since.elapsed());
        }
    }

    /// The warning that is due, once.
    pub(super) fn take_warning(&self) -> Option<String> {
        let running = self.running.borrow();
        let (since, origin) = running.as_ref()?;
        if self.has_warned.get() || self.spent.get() + since.elapsed() < LONG {
            return None;
        }
        self.has_warned.set(true);
        Some(format!(
            "WebAssembly of '{origin}' has run for a second: lmthing translates it to JavaScript, some hundred times \
             slower than in Node; a package in plain JavaScript (as js-tiktoken for tiktoken) is faster"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warns_once_after_a_second_of_all_calls() {
        let time = WasmTime::default();
        time.begin("a".to_owned());
        assert_eq!(time.take_warning(), None);
        time.end();
        time.spent.set(LONG);
        assert_eq!(time.take_warning(), None, "nothing runs");
        time.begin("b".to_owned());
        assert!(time.take_warning().is_some_and(|warning| warning.contains("'b'")));
        assert_eq!(time.take_warning(), None);
    }
}
