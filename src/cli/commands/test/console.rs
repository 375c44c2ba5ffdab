//! What tests print, on its way to standard error: each test's under its name, that of a file in one piece where several run at
//! once. Must not know what else is shown.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::{cli::Printer, testing::report::one_line};

/// How many bytes of a file wait at most.
const MAX_WAITING: usize = 1 << 20;

/// What tests print.
pub(super) struct Console<'a> {
    printer: &'a Printer,
    /// Only one file runs at a time: nothing has to wait.
    is_alone: bool,
    waiting: HashMap<PathBuf, Waiting>,
    /// The test whose text stands last, unless something else was shown since.
    last: Option<String>,
    is_line_begun: bool,
}

/// What a file has printed.
#[derive(Default)]
struct Waiting {
    /// Tests and what they printed.
    blocks: Vec<(String, String)>,
    bytes: usize,
}

impl<'a> Console<'a> {
    /// `is_alone` says that files run one after the other.
    pub(super) fn new(printer: &'a Printer, is_alone: bool) -> Self {
        Console { printer, is_alone, waiting: HashMap::new(), last: None, is_line_begun: false }
    }

    /// A test of a file has printed something; one without a name is the file itself.
    pub(super) fn printed(&mut self, file: &Path, test: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.is_alone {
            return self.print(file, test, text);
        }
        let waiting = self.waiting.entry(file.to_owned()).or_default();
        waiting.bytes += text.len();
        match waiting.blocks.last_mut().filter(|(last, _)| last == test) {
            Some((_, block)) => block.push_str(text),
            None => waiting.blocks.push((test.to_owned(), text.to_owned())),
        }
        if waiting.bytes > MAX_WAITING {
            self.show(file);
        }
    }

    /// Prints what a file has printed.
    pub(super) fn show(&mut self, file: &Path) {
        let Some(Waiting { blocks, .. }) = self.waiting.remove(file) else { return };
        for (test, text) in blocks {
            self.print(file, &test, &text);
        }
    }

    /// Something else is shown next: a line that was begun is ended.
    pub(super) fn give_way(&mut self) {
        if self.is_line_begun {
            self.printer.stderr("\n");
        }
        self.is_line_begun = false;
        self.last = None;
    }

    /// Whether the last line has no end yet.
    pub(super) fn is_line_begun(&self) -> bool {
        self.is_line_begun
    }

    fn print(&mut self, file: &Path, test: &str, text: &str) {
        let name = file.display().to_string();
        let who = if test.is_empty() { name } else { format!("{name} > {test}") };
        if self.last.as_ref() != Some(&who) {
            self.give_way();
            self.printer.stderr_dim(&format!("console | {}", one_line(&who)));
            self.last = Some(who);
        }
        self.printer.stderr(text);
        self.is_line_begun = !text.ends_with('\n');
    }
}
