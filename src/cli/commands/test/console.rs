//! Prints output of tests to standard error, under the name of the test. If several files run at once, the output of a
//! file is collected first.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::cli::Printer;
use lmthing_testing::report::one_line;

const MAX_COLLECTED: usize = 1 << 20;

pub(super) struct Console<'a> {
    printer: &'a Printer,
    is_alone: bool,
    collected: HashMap<PathBuf, CollectedOutput>,
    /// The test that printed last, unless something else was printed since.
    last: Option<String>,
    is_line_begun: bool,
}

#[derive(Default)]
struct CollectedOutput {
    blocks: Vec<(String, String)>,
    bytes: usize,
}

impl<'a> Console<'a> {
    pub(super) fn new(printer: &'a Printer, is_alone: bool) -> Self {
        Console { printer, is_alone, collected: HashMap::new(), last: None, is_line_begun: false }
    }

    /// Takes output of a test; an empty name stands for the file itself.
    pub(super) fn printed(&mut self, file: &Path, test: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.is_alone {
            return self.print(file, test, text);
        }
        let collected = self.collected.entry(file.to_owned()).or_default();
        collected.bytes += text.len();
        match collected.blocks.last_mut().filter(|(last, _)| last == test) {
            Some((_, block)) => block.push_str(text),
            None => collected.blocks.push((test.to_owned(), text.to_owned())),
        }
        if collected.bytes > MAX_COLLECTED {
            self.show(file);
        }
    }

    pub(super) fn show(&mut self, file: &Path) {
        let Some(CollectedOutput { blocks, .. }) = self.collected.remove(file) else { return };
        for (test, text) in blocks {
            self.print(file, &test, &text);
        }
    }

    pub(super) fn end_line(&mut self) {
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
            self.end_line();
            self.printer.stderr_dim(&format!("console | {}", one_line(&who)));
            self.last = Some(who);
        }
        self.printer.stderr(text);
        self.is_line_begun = !text.ends_with('\n');
    }
}
