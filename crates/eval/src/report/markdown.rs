//! A report as Markdown, for a comment of a pull request.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    evaluated::Evaluated,
    style::{counted, money, number, one_line, signed, time, tokens},
    types::{Against, Difference, EvalReport, Group, Verdict},
};

const MAX_ROWS: usize = 10;

const MAX_ERRORS: usize = 20;

/// The longest text in a cell, in characters.
const MAX_TEXT: usize = 200;

pub(super) fn text(evals: &[EvalReport], evaluated: &[Evaluated<'_>], failures: &[String]) -> String {
    let mut text = String::new();
    for (report, eval) in evals.iter().zip(evaluated) {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "### {}\n", code(&report.file));
        let (rows, cells) = (counted(report.rows, "row"), counted(report.cells, "cell"));
        let _ = writeln!(text, "{rows}, {cells}. Means with 95 % intervals.\n");
        groups(&mut text, report, &eval.file.scores);
        differences(&mut text, report);
        disagreements(&mut text, eval);
        errors(&mut text, eval);
    }
    if !failures.is_empty() {
        let _ = writeln!(text, "\n**Failed:**\n");
        table(&mut text, &["gate"], failures.iter().map(|failure| vec![code(failure)]));
    }
    text
}

fn table(text: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(text, "| {} |\n|{}", head.join(" | "), " --- |".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
}

fn groups(text: &mut String, report: &EvalReport, scores: &[String]) {
    let names: Vec<String> = scores.iter().map(|score| code(score)).collect();
    let mut head = vec!["variant", "model"];
    head.extend(names.iter().map(String::as_str));
    head.extend(["errors", "cost", "judges", "tokens", "p50", "p95"]);
    let row = |group: &Group| {
        let mut cells = vec![code(&group.variant), code(&group.model)];
        cells.extend(group.scores.values().map(|summary| match (summary.mean, summary.low, summary.high) {
            (Some(mean), Some(low), Some(high)) => format!("{} ({}…{})", number(mean), number(low), number(high)),
            _ => "–".to_owned(),
        }));
        cells.extend([group.errors.to_string(), money(group.cost), money(group.judge_cost), tokens(group)]);
        cells.extend([time(group.duration_ms.p50), time(group.duration_ms.p95)]);
        cells
    };
    table(text, &head, report.groups.iter().map(row));
}

fn differences(text: &mut String, report: &EvalReport) {
    if report.differences.is_empty() {
        return;
    }
    text.push('\n');
    let row = |difference: &Difference| {
        let against = match difference.against {
            Against::First => format!("{} {}", code(&difference.other.0), code(&difference.other.1)),
            Against::Baseline => "baseline".to_owned(),
        };
        let Difference { mean, low, high, n, .. } = difference;
        let verdict = match difference.verdict {
            Verdict::NotShown => difference.verdict.as_str().to_owned(),
            shown => format!("**{}**", shown.as_str()),
        };
        let interval = format!("{} ({}…{})", signed(*mean), signed(*low), signed(*high));
        let names = [&difference.score, &difference.variant, &difference.model].map(|name| code(name));
        names.into_iter().chain([against, interval, n.to_string(), verdict]).collect()
    };
    let head = ["score", "variant", "model", "against", "difference", "rows", "verdict"];
    table(text, &head, report.differences.iter().map(row));
}

fn disagreements(text: &mut String, eval: &Evaluated<'_>) {
    let found = eval.disagreements();
    if found.is_empty() {
        return;
    }
    let rows = found.iter().take(MAX_ROWS).map(|row| {
        let means = row
            .means
            .iter()
            .map(|((variant, model), mean)| format!("{} {} {}", code(variant), code(model), number(*mean)));
        let means = means.collect::<Vec<_>>().join("<br>");
        vec![row.row.to_string(), code(&Value::Object(row.input.clone()).to_string()), code(row.score), means]
    });
    details(text, &format!("Rows with different scores: {}", found.len()), found.len() > MAX_ROWS, |text| {
        table(text, &["row", "input", "score", "means"], rows);
    });
}

fn errors(text: &mut String, eval: &Evaluated<'_>) {
    let groups = eval.error_groups();
    if groups.is_empty() {
        return;
    }
    let rows = groups.iter().take(MAX_ERRORS).map(|group| {
        let what = if group.score.is_empty() { "run".to_owned() } else { code(&group.score) };
        vec![what, code(&group.message), code(&group.place())]
    });
    details(text, &format!("Errors: {}", groups.len()), groups.len() > MAX_ERRORS, |text| {
        table(text, &["of", "error", "cell"], rows);
    });
}

fn details(text: &mut String, summary: &str, is_cut: bool, content: impl FnOnce(&mut String)) {
    let _ = writeln!(text, "\n<details><summary>{summary}</summary>\n");
    content(text);
    if is_cut {
        let _ = writeln!(text, "\nNot all are shown.");
    }
    let _ = writeln!(text, "\n</details>");
}

/// Foreign text as code, in which nothing is a tag, a link or a mention.
fn code(text: &str) -> String {
    let text = one_line(text);
    let mut shown: String = text.chars().take(MAX_TEXT).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    // A backslash in front of a bar would take away its escape.
    let shown = shown.replace('`', "'").replace("\\|", "\\ |").replace('|', "\\|");
    match shown.trim() {
        "" => "–".to_owned(),
        shown => format!("`{}`", shown.strip_suffix('\\').map_or(shown.to_owned(), |rest| format!("{rest}\\ "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_does_not_leave_its_cell() {
        let hostile = ["a|b", "`<img src=x>`", "@everyone", "a\nb\r\u{1b}[31mc", "\\|x", "| a |\n| --- |", "ends\\"];
        for text in hostile {
            let shown = code(text);
            assert!(shown.starts_with('`') && shown.ends_with('`') && shown.len() > 2, "{shown}");
            let inside = &shown[1..shown.len() - 1];
            assert!(!inside.contains(['`', '\n', '\r', '\u{1b}']), "{shown}");
            let bars = inside.match_indices('|');
            let is_escaped = |at: usize| inside[..at].ends_with('\\') && !inside[..at].ends_with("\\\\");
            assert!(bars.into_iter().all(|(at, _)| is_escaped(at)), "{shown}");
        }
        assert_eq!(code("openai:gpt-5"), "`openai:gpt-5`");
        assert_eq!(code(" \n"), "–");
    }
}
