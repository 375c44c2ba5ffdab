//! Runs `lmthing test` in a folder and reads the JSON report.

use serde_json::Value;

use crate::support::{Folder, Outcome};

/// The result of `lmthing test --reporter json`.
#[derive(Debug)]
pub(crate) struct Report {
    pub code: i32,
    pub stderr: String,
    pub json: Value,
}

impl Report {
    /// Runs the tests of a folder, as outside of CI.
    pub(crate) fn of(folder: &Folder, arguments: &str) -> Self {
        let mut command = folder.command(&format!("test --reporter json {arguments}"));
        command.env_remove("CI").env_remove("GITHUB_ACTIONS");
        Report::from(Outcome::of(&mut command))
    }

    /// Runs one test file, `a.test.lmt.mjs`, which imports everything.
    pub(crate) fn of_tests(source: &str) -> Self {
        Report::of(&Folder::new(&[("a.test.lmt.mjs", &tests(source))]), "")
    }

    /// `name: status` of each test, in order.
    pub(crate) fn statuses(&self) -> Vec<String> {
        let tests = self.tests();
        tests.iter().map(|test| format!("{}: {}", text(&test["fullName"]), text(&test["status"]))).collect()
    }

    /// All tests of all files.
    pub(crate) fn tests(&self) -> Vec<Value> {
        let files = self.json["testResults"].as_array().unwrap();
        files.iter().flat_map(|file| file["assertionResults"].as_array().unwrap().clone()).collect()
    }

    /// The failures of a test.
    pub(crate) fn failures(&self, title: &str) -> Vec<String> {
        let tests = self.tests();
        let test = tests.iter().find(|test| test["title"] == title).unwrap_or_else(|| panic!("no {title}: {self:?}"));
        test["failureMessages"].as_array().unwrap().iter().map(text).collect()
    }

    /// The failure of the first file outside of its tests.
    pub(crate) fn file_message(&self) -> String {
        text(&self.json["testResults"][0]["message"])
    }
}

impl From<Outcome> for Report {
    fn from(outcome: Outcome) -> Self {
        Report { code: outcome.code, json: outcome.object(), stderr: outcome.stderr }
    }
}

/// The source of a test file with these tests.
pub(crate) fn tests(source: &str) -> String {
    let imports = "afterAll, afterEach, beforeAll, beforeEach, createMockModel, describe, expect, fn, it, onTestFailed, \
                   onTestFinished, run, test, vi";
    format!("import {{ {imports} }} from 'lmthing/test';\n{source}")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
