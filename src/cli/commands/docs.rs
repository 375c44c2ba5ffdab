//! `lmthing docs [TOPIC]` (docs/reference/docs.md): prints the documentation of this version.

use lmthing_base::diagnostic::Diagnostic;

use crate::cli::{
    ExitCode, Printer,
    docs::{Found, LIST, NotFound, find},
    small_args::DocsArgs,
};

pub(in crate::cli) fn run(args: &DocsArgs, printer: &Printer) -> ExitCode {
    let topic = if args.topic.is_empty() { LIST.to_owned() } else { args.topic.join(" ") };
    match find(&topic) {
        Ok(found) => {
            if let Some(note) = note(&topic, &found) {
                printer.stderr(&format!("{note}\n"));
            }
            printer.text(&found.text);
            printer.flush();
            ExitCode::Done
        }
        Err(problem) => {
            printer.diagnostic(&diagnostic(&topic, &problem));
            ExitCode::Usage
        }
    }
}

/// Where the text is from, unless that is what was asked for, and what else has the name.
fn note(asked: &str, found: &Found) -> Option<String> {
    let parts = [
        (found.topic != asked).then(|| format!("topic {}", found.topic)),
        (!found.others.is_empty()).then(|| format!("see also {}", found.others.join(", "))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn diagnostic(asked: &str, problem: &NotFound) -> Diagnostic {
    let commands = |topics: &[String]| {
        topics.iter().map(|topic| format!("lmthing docs {topic}")).collect::<Vec<_>>().join("\n      ")
    };
    let unknown = || format!("there is no topic '{asked}'");
    match problem {
        NotFound::Ambiguous(topics) => {
            Diagnostic::new(format!("'{asked}' is a heading of several pages")).with_hint(commands(topics))
        }
        NotFound::NoSection { page, sections } => {
            Diagnostic::new(format!("{}: {page} has other sections", unknown())).with_hint(commands(sections))
        }
        NotFound::Unknown(Some(similar)) => Diagnostic::new(unknown())
            .with_hint(format!("did you mean `lmthing docs {similar}`? `lmthing docs` lists all")),
        NotFound::Unknown(None) => Diagnostic::new(unknown()).with_hint("`lmthing docs` lists all topics"),
        NotFound::Mentioned(topics) => {
            Diagnostic::new(format!("{}, but these mention it", unknown())).with_hint(commands(topics))
        }
    }
}
