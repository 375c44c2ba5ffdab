//! The message of a run that stops for approvals: the calls, and the commands that continue it.

use std::{fmt::Write as _, path::Path};

use serde_json::Value;

use lmthing_base::{diagnostic::escape_invisible, event::AwaitedCall};
use lmthing_system::process::shell_quoted;

/// A run and how it goes on: by `resume`, or as the conversation that it is.
#[derive(Clone, Copy)]
pub(in crate::cli) struct WaitingRun<'a> {
    pub(in crate::cli) id: &'a str,
    pub(in crate::cli) is_chat: bool,
    /// The path of the option `--journal`.
    pub(in crate::cli) journal: Option<&'a Path>,
}

pub(in crate::cli) fn message(calls: &[AwaitedCall], run: WaitingRun<'_>) -> String {
    let (what, wait) = if calls.len() == 1 { ("A call", "waits") } else { ("Calls", "wait") };
    let mut text = format!("{what} of the run {} {wait} for approval:\n", run.id);
    for call in calls {
        let agent = call.agent.last().map(|name| format!(", by {}", escape_invisible(name))).unwrap_or_default();
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "  {}: {}{agent}", escape_invisible(&call.call), escape_invisible(&call.name));
        argument_lines(&call.args).iter().for_each(|line| text += &format!("    {line}\n"));
    }
    text += "To go on:\n";
    for call in calls {
        for option in ["approve", "deny"] {
            text += &format!("  {}\n", command(run, option, &call.call));
        }
    }
    text
}

/// The command that continues the run with a decision on one call.
pub(in crate::cli) fn command(run: WaitingRun<'_>, option: &str, call: &str) -> String {
    let WaitingRun { id, is_chat, journal } = run;
    let go_on = if is_chat { "chat --resume" } else { "resume" };
    let journal =
        journal.map(|path| format!(" --journal {}", shell_quoted(&path.display().to_string()))).unwrap_or_default();
    // With a space, an id with a leading dash would be parsed as an option.
    let between = if call.starts_with('-') { "=" } else { " " };
    format!("lmthing {go_on} {id}{journal} --{option}{between}{}", shell_quoted(&escape_invisible(call)))
}

pub(in crate::cli) fn argument_lines(args: &Value) -> Vec<String> {
    match args {
        Value::Object(properties) => {
            properties.iter().map(|(name, value)| escape_invisible(&format!("{name}: {value}"))).collect()
        }
        Value::String(text) => vec![escape_invisible(text)],
        other => vec![escape_invisible(&other.to_string())],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_listed_with_control_characters_escaped() {
        let call = |call: &str, name: &str, args: Value, agent: &[&str]| AwaitedCall {
            call: call.to_owned(),
            tool_call_id: Some(call.to_owned()),
            name: name.to_owned(),
            args,
            agent: agent.iter().map(|name| (*name).into()).collect(),
        };
        let calls = [
            call("c.1", "deploy", json!({ "to": "live\u{1b}[2J", "n": [1, 2] }), &[]),
            call("c d'", "srv.sum", json!("odd\u{202e}"), &["outer", "helper"]),
        ];
        let expected = "\
Calls of the run ab wait for approval:
  c.1: deploy
    to: \"live\\u{1b}[2J\"
    n: [1,2]
  c d': srv.sum, by helper
    odd\\u{202e}
To go on:
  lmthing resume ab --approve c.1
  lmthing resume ab --deny c.1
  lmthing resume ab --approve 'c d'\\'''
  lmthing resume ab --deny 'c d'\\'''
";
        let shown =
            message(&calls, WaitingRun { id: "ab", is_chat: false, journal: None }).replace("\\u001b", "\\u{1b}");
        assert_eq!(shown, expected);
        let one = message(&calls[..1], WaitingRun { id: "ab", is_chat: false, journal: Some(Path::new("a b.db")) });
        assert!(one.starts_with("A call of the run ab waits for approval:\n"), "{one}");
        assert!(one.contains("lmthing resume ab --journal 'a b.db' --approve c.1\n"), "{one}");
        assert_eq!(
            command(WaitingRun { id: "ab", is_chat: true, journal: None }, "deny", "-x"),
            "lmthing chat --resume ab --deny=-x"
        );
    }
}
