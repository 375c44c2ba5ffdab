//! Prints output of tests to standard error, under the name of the test. If several files run at once, the output of a
//! file is collected first.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::{cli::Printer, testing::report::one_line};

/// Most bytes that are collected for a file.
const MAX_WAITING: usize = 1 << 20;

pub(super) struct Console<'a> {
    printer: &'a Printer,
    /// Whether files run one at a time.
    is_alone: bool,
    waiting: HashMap<PathBuf, Waiting>,
    /// The test that printed last, unless something else was printed since.
    last: Option<String>,
    is_line_begun: bool,
}

#[derive(Default)]
struct Waiting {
    /// Names of tests with their output.
    blocks: Vec<(String, String)>,
    bytes: usize,
}

impl<'a> Console<'a> {
    pub(super) fn new(printer: &'a Printer, is_alone: bool) -> Self {
        Console { printer, is_alone, waiting: HashMap::new(), last: None, is_line_begun: false }
    }

    /// Takes output of a test; an empty name stands for the file itself.
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

    /// Prints the collected output of a file.
    pub(super) fn show(&mut self, file: &Path) {
        let Some(Waiting { blocks, .. }) = self.waiting.remove(file) else { return };
        for (test, text) in blocks {
            self.print(file, &test, &text);
        }
    }

    /// Ends an unfinished line before other output.
    pub(super) fn give_way(&mut self) {
        if self.is_line_begun {
            self.printer.stderr("\n");
        }
        self.is_line_begun = false;
        self.last = None;
    }

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
