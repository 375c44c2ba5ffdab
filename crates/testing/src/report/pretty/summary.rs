//! The summary at the end of the report.

use super::file_lines::{duration, many};
use crate::{
    outcome::{Snapshots, Totals},
    recordings::RecordedUse,
    report::paint::Paint,
};
use lmthing_base::cost::dollars;

pub(super) fn summary(totals: &Totals, paint: Paint) -> String {
    let files = states([totals.files_failed, totals.files_passed, totals.files_skipped, 0], "no test files", paint);
    let tests = states([totals.failed, totals.passed, totals.skipped, totals.todo], "no tests", paint);
    let mut lines = vec![("Test Files", files), ("Tests", tests)];
    if totals.errors > 0 {
        lines.push(("Errors", paint.red(paint.bold(many(totals.errors, "error")))));
    }
    let snapshots = snapshots(&totals.snapshots, paint);
    if !snapshots.is_empty() {
        lines.push(("Snapshots", snapshots));
    }
    let RecordedUse { answers, cost, .. } = totals.recorded;
    if answers > 0 {
        let cost =
            cost.map_or_else(|| "at an unknown price".to_owned(), |cost| format!("recorded for {}", dollars(cost)));
        lines.push(("Recordings", format!("{}, {cost}", many(answers, "answer"))));
    }
    lines.push(("Duration", duration(totals.took)));
    lines.iter().map(|(title, text)| format!("{}  {text}\n", paint.dim(format!("{title:>11}")))).collect()
}

/// `1 failed | 3 passed | 2 skipped | 1 todo (7)`.
fn states([failed, passed, skipped, todo]: [usize; 4], nothing: &str, paint: Paint) -> String {
    let all = failed + passed + skipped + todo;
    if all == 0 {
        return paint.dim(nothing);
    }
    let parts = [
        (failed, paint.red(paint.bold(format!("{failed} failed")))),
        (passed, paint.green(paint.bold(format!("{passed} passed")))),
        (skipped, paint.yellow(format!("{skipped} skipped"))),
        (todo, paint.dim(format!("{todo} todo"))),
    ];
    format!("{} {}", joined(parts, paint), paint.dim(format!("({all})")))
}

fn snapshots(snapshots: &Snapshots, paint: Paint) -> String {
    let Snapshots { matched: _, unmatched, written, updated, removed, obsolete } = snapshots;
    joined(
        [
            (*unmatched, paint.red(paint.bold(format!("{unmatched} failed")))),
            (*written, paint.green(paint.bold(format!("{written} written")))),
            (*updated, paint.green(paint.bold(format!("{updated} updated")))),
            (*removed, paint.green(paint.bold(format!("{removed} removed")))),
            (*obsolete, paint.yellow(paint.bold(format!("{obsolete} obsolete")))),
        ],
        paint,
    )
}

fn joined<const N: usize>(parts: [(usize, String); N], paint: Paint) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    parts.join(&paint.dim(" | "))
}
