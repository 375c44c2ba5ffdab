//! Errors of the command line's parser, as diagnostics like those of everything else.

use lmthing_base::diagnostic::Diagnostic;

/// What is wrong with the command line, and how to write it.
pub(super) fn diagnostic(error: &clap::Error) -> Diagnostic {
    // Paragraphs: the error, then tips, then the usage, and where the help is.
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(str::trim_end);
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    let mut hints: Vec<String> = Vec::new();
    for paragraph in paragraphs {
        let tips: Vec<&str> = paragraph.lines().filter_map(|line| line.trim_start().strip_prefix("tip: ")).collect();
        if !tips.is_empty() {
            hints.push(tips.join("; "));
        } else if let Some(usage) = paragraph.strip_prefix("Usage: ") {
            hints.push(format!("usage: {usage}"));
        }
    }
    if hints.is_empty() {
        hints.push("--help lists the options".to_owned());
    }
    Diagnostic::new(message.join(" ")).with_hint(hints.join("\n      "))
}
