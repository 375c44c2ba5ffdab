//! Holds back answers of the provider until a test releases them.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<Mutex<BTreeSet<String>>>);

impl Gate {
    /// Requests with this name wait from now on.
    pub(crate) fn hold(&self, name: &str) {
        self.0.lock().unwrap().insert(name.to_owned());
    }

    pub(crate) fn open(&self, name: &str) {
        self.0.lock().unwrap().remove(name);
    }

    /// Waits while the name is held.
    pub(crate) fn wait(&self, name: &str) {
        while self.0.lock().unwrap().contains(name) {
            thread::sleep(Duration::from_millis(5));
        }
    }
}
