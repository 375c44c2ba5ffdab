//! `lmthing eval --batch`: cells of several variants go into batches, and wait there over commands.

use std::collections::BTreeSet;

use super::{PROMPT, RIGHT, eval_file, rows};
use crate::{
    rows::results_in,
    support::{
        Folder, Outcome,
        batches::{Act, BatchServer, Dialect},
    },
};

const TWO: &str = "{ plain: {}, loud: { input: { style: '!' } } }";

struct BatchLab {
    folder: Folder,
    server: BatchServer,
}

impl BatchLab {
    fn new(server: BatchServer) -> BatchLab {
        let prompt = PROMPT.replace("lab:m", server.model());
        let files = [("p.lmt.mjs", &*prompt), ("e.eval.lmt.mjs", &eval_file(&rows(3), RIGHT, TWO))];
        BatchLab { folder: Folder::new(&files), server }
    }

    fn eval(&self, more: &str) -> Outcome {
        let arguments = format!("eval e.eval.lmt.mjs -o out.jsonl --repeat 2 --batch --poll 20ms {more}");
        Outcome::of(self.folder.command(&arguments).envs(self.server.variables()))
    }

    /// The texts of all cells.
    fn texts(&self) -> Vec<String> {
        let text = |line: &serde_json::Value| line["text"].as_str().unwrap_or_default().to_owned();
        results_in(&self.folder, "out.jsonl").iter().map(text).collect()
    }

    fn files(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.folder.path("")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }
}

fn expected() -> Vec<String> {
    let of = |row: u32| [format!("row {row}"), format!("row {row}"), format!("row {row}!"), format!("row {row}!")];
    (1..=3).flat_map(of).collect()
}

#[test]
fn cells_go_into_batches() {
    let lab = BatchLab::new(BatchServer::start(Dialect::OpenAi));
    let outcome = lab.eval("");
    assert_eq!((outcome.code, lab.texts()), (0, expected()), "{outcome:?}");
    assert_eq!((lab.server.paid().len(), lab.server.count(Act::Ask)), (12, 0));
    let names = ["e.eval.lmt.mjs", "out.jsonl", "out.jsonl.lmthing", "p.lmt.mjs"].map(str::to_owned);
    assert_eq!(lab.files(), names.into(), "{outcome:?}");
    let outcome = lab.eval("");
    assert_eq!((outcome.code, lab.server.paid().len()), (0, 12), "{outcome:?}");
}

#[test]
fn batches_are_collected_by_later_commands() {
    let lab = BatchLab::new(BatchServer::start(Dialect::Anthropic).polls(3));
    let outcome = lab.eval("--no-wait");
    assert_eq!((outcome.code, lab.texts().len()), (0, 0), "{outcome:?}");
    let mut left = 10;
    while lab.texts().len() < 12 && left > 0 {
        left -= 1;
        let outcome = lab.eval("--no-wait");
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    assert_eq!((lab.texts(), lab.server.paid().len()), (expected(), 12));
}

#[test]
fn a_changed_variant_is_refused_while_batches_are_under_way() {
    let lab = BatchLab::new(BatchServer::start(Dialect::OpenAi).polls(usize::MAX));
    assert_eq!(lab.eval("--no-wait").code, 0);
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(3), RIGHT, &TWO.replace('!', "?")));
    let outcome = lab.eval("--no-wait");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    for part in ["has changed", "under way", "--cancel out.jsonl", "--fresh"] {
        assert!(outcome.stderr.contains(part), "{part}: {outcome:?}");
    }
    let cancel = lab.folder.command("map --cancel out.jsonl").envs(lab.server.variables()).output().unwrap();
    assert!(cancel.status.success(), "{cancel:?}");
    assert!(lab.server.batches().iter().all(|batch| batch.is_cancelled));
}
