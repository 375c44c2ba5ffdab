//! Results for the tests of reports, with fixed times.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use super::ReportStyle;
use crate::{
    outcome::{Failure, FileOutcome, Snapshots, State, TestOutcome, Totals},
    recordings::RecordedUse,
};
use lmthing_base::diagnostic::{Diagnostic, Frame, Location};

const SOURCE: &str = "import { test, expect, run } from 'lmthing/test';

describe('cart', () => {
  test('adds', async () => {
    const result = await run('cart.lmt.mjs');
\t\texpect(result.output).toEqual({ sum: 3, cürrency: 'EUR' });
  });
  test('throws', () => total());
});

function total() { throw new TypeError('no <such>\\nthing'); }
";

pub(super) struct Sample {
    folder: TempDir,
    /// Mostly failed; passed; skipped; failed to load.
    pub(super) files: Vec<FileOutcome>,
}

impl Sample {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["cart", "ok", "rows", "broken"] {
            fs::write(folder.path().join(format!("{name}.test.lmt.mjs")), SOURCE).unwrap();
        }
        let mut sample = Sample { folder, files: Vec::new() };
        let cart = sample.cart();
        let passed = file("ok.test.lmt.mjs", vec![test(&[], "works", State::Passed, Some(1)), slow()]);
        let skipped = (1..=5).map(|row| test(&["rows"], &format!("row {row}"), State::Skipped, None)).collect();
        let mut broken = file("broken.test.lmt.mjs", Vec::new());
        broken
            .errors
            .push(failure(Diagnostic { name: "SyntaxError".to_owned(), ..Diagnostic::new("unexpected token") }));
        broken.took = Duration::ZERO;
        sample.files = vec![cart, passed, file("rows.test.lmt.mjs", skipped), broken];
        sample
    }

    pub(super) fn style(&self, has_colours: bool) -> ReportStyle {
        ReportStyle { has_colours, columns: Some(80), folder: self.folder.path().to_owned() }
    }

    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals { took: Duration::from_millis(1620), ..Totals::default() };
        self.files.iter().for_each(|file| totals.add(file));
        totals
    }

    /// Replaces the random name of the folder.
    pub(super) fn without_folder(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.folder.path().display()), "/folder/")
    }

    fn at(&self, line: u32, column: u32) -> Location {
        Location { path: self.folder.path().join("cart.test.lmt.mjs").display().to_string(), line, column }
    }

    fn cart(&self) -> FileOutcome {
        let unequal = Failure {
            diff: Some(
                "- Expected\n+ Received\n\n  {\n    \"cürrency\": \"EUR\",\n-   \"sum\": 3,\n+   \"sum\": 4,\n  }"
                    .to_owned(),
            ),
            ..failure(self.thrown("AssertionError", "expected { sum: 4 } to deeply equal { sum: 3 }", 6, 27))
        };
        let mut thrown = self.thrown("TypeError", "no <such>\nthing ]]> \u{1b}[31m", 11, 26);
        thrown.stack = vec![
            Frame { function: Some("total".to_owned()), location: self.at(11, 26) },
            Frame { function: None, location: self.at(8, 24) },
        ];
        thrown.causes = vec![Diagnostic::new("root")];
        thrown.hint = Some("there is a thing".to_owned());
        let setup = Failure { context: Some("beforeEach".to_owned()), ..failure(Diagnostic::new("no setup")) };
        let mut soft = test(&["cart"], "soft", State::Failed, Some(4));
        soft.failures = vec![setup.clone(), unequal.clone()];
        soft.place = Some(self.at(4, 3));
        let adds = TestOutcome { failures: vec![unequal], ..test(&["cart"], "adds", State::Failed, Some(14)) };
        let throws = TestOutcome {
            failures: vec![failure(thrown)],
            place: Some(self.at(8, 3)),
            ..test(&["cart", "of ä \\ <b> & #1 \"x\""], "throws", State::Failed, Some(0))
        };
        let skipped = TestOutcome {
            note: Some("needs an input #1".to_owned()),
            ..test(&["cart"], "is skipped", State::Skipped, None)
        };
        let repeated = TestOutcome {
            note: Some("4 of 5 passed".to_owned()),
            ..test(&[], "repeated\nline", State::Passed, Some(401))
        };
        let todo = test(&[], "is to be written", State::Todo, None);
        FileOutcome {
            notes: vec!["1 snapshot is obsolete: cart > old 1".to_owned()],
            snapshots: Snapshots { matched: 2, unmatched: 1, written: 1, obsolete: 1, ..Snapshots::default() },
            recorded: RecordedUse { answers: 3, tokens: 4200, cost: Some(0.0104) },
            ..file("cart.test.lmt.mjs", vec![adds, soft, throws, skipped, repeated, todo])
        }
    }

    fn thrown(&self, name: &str, message: &str, line: u32, column: u32) -> Diagnostic {
        Diagnostic { name: name.to_owned(), location: Some(self.at(line, column)), ..Diagnostic::new(message) }
    }
}

pub(super) fn failure(diagnostic: Diagnostic) -> Failure {
    Failure { diagnostic, diff: None, context: None }
}

pub(super) fn file(name: &str, tests: Vec<TestOutcome>) -> FileOutcome {
    FileOutcome {
        file: name.into(),
        tests,
        errors: Vec::new(),
        notes: Vec::new(),
        snapshots: Snapshots::default(),
        recorded: RecordedUse::default(),
        began: SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
        took: Duration::from_millis(428),
    }
}

pub(super) fn test(ancestors: &[&str], title: &str, state: State, milliseconds: Option<u64>) -> TestOutcome {
    TestOutcome {
        ancestors: ancestors.iter().map(|title| (*title).to_owned()).collect(),
        title: title.to_owned(),
        state,
        place: None,
        took: milliseconds.map(Duration::from_millis),
        failures: Vec::new(),
        note: None,
    }
}

fn slow() -> TestOutcome {
    test(&["suite"], "is slow", State::Passed, Some(1_300))
}
