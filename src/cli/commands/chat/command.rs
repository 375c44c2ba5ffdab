//! The commands of a conversation, typed as `/word` (docs/reference/chat.md).

use std::{fmt::Write as _, path::PathBuf};

use lmthing_base::diagnostic::{Diagnostic, closest};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Show the model, or take another one.
    Model(Option<String>),
    /// Show the text that is added to the system prompt, or replace it.
    System(Option<String>),
    /// Take back the last message with all that followed.
    Undo,
    /// Ask the last message again.
    Retry,
    Cost,
    View,
    Save(PathBuf),
    Help,
    Exit,
}

struct Row {
    name: &'static str,
    argument: &'static str,
    help: &'static str,
    /// Makes the command from the text after its name. `None` if it takes no text, or needs one.
    make: fn(Option<&str>) -> Option<Command>,
}

const ROWS: [Row; 9] = [
    Row {
        name: "model",
        argument: "[MODEL]",
        help: "show the model, or take another one from now on",
        make: |text| Some(Command::Model(text.map(str::to_owned))),
    },
    Row {
        name: "system",
        argument: "[TEXT]",
        help: "show what is added to the system prompt, or replace it",
        make: |text| Some(Command::System(text.map(str::to_owned))),
    },
    Row {
        name: "undo",
        argument: "",
        help: "take back the last message with all that followed, state too",
        make: |text| text.is_none().then_some(Command::Undo),
    },
    Row {
        name: "retry",
        argument: "",
        help: "ask the last message again, without its answer",
        make: |text| text.is_none().then_some(Command::Retry),
    },
    Row {
        name: "cost",
        argument: "",
        help: "show tokens and cost so far",
        make: |text| text.is_none().then_some(Command::Cost),
    },
    Row {
        name: "view",
        argument: "",
        help: "open the conversation as a page in the browser",
        make: |text| text.is_none().then_some(Command::View),
    },
    Row {
        name: "save",
        argument: "FILE",
        help: "write the conversation as Markdown, or its messages as JSON to a .json file",
        make: |text| text.map(|path| Command::Save(PathBuf::from(path))),
    },
    Row { name: "help", argument: "", help: "show this list", make: |text| text.is_none().then_some(Command::Help) },
    Row {
        name: "exit",
        argument: "",
        help: "leave the conversation, as Ctrl-D does",
        make: |text| text.is_none().then_some(Command::Exit),
    },
];

/// Words of other programs, and the command that does the same here.
const OTHER_NAMES: [(&str, &str); 6] =
    [("quit", "exit"), ("q", "exit"), ("bye", "exit"), ("?", "help"), ("regenerate", "retry"), ("export", "save")];

impl Command {
    /// The command of a typed line; `None` if the line is a message.
    ///
    /// # Errors
    /// An unknown command, or one with a wrong argument.
    pub(super) fn parse(line: &str) -> Result<Option<Self>, Box<Diagnostic>> {
        let Some(typed) = line.trim().strip_prefix('/').filter(|rest| !rest.starts_with('/')) else { return Ok(None) };
        let (word, text) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let Some(row) = ROWS.iter().find(|row| row.name == word) else { return Err(unknown(word)) };
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        (row.make)(text).map(Some).ok_or_else(|| {
            let problem = match row.argument {
                "" => format!("/{word} takes no text"),
                argument => format!("/{word} needs {argument}"),
            };
            Box::new(Diagnostic::new(problem))
        })
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }
}

/// The message of a line that is no command: `//word` stands for `/word`.
pub(super) fn message(line: &str) -> &str {
    let typed = line.trim_start();
    if typed.starts_with("//") { &typed[1..] } else { line }
}

fn unknown(word: &str) -> Box<Diagnostic> {
    let other = OTHER_NAMES.iter().find(|(name, _)| *name == word).map(|(_, command)| *command);
    let meant = match other.or_else(|| closest(word, Command::names())) {
        Some(command) => format!("did you mean '/{command}'?"),
        None => "/help lists the commands,".to_owned(),
    };
    let problem = Diagnostic::new(format!("there is no command /{word}; nothing was sent"));
    Box::new(problem.with_hint(format!("{meant} //{word} sends /{word}")))
}

/// The text of `/help`, for a terminal of this width.
pub(super) fn help(columns: Option<u16>) -> String {
    let width = columns.map_or(80, usize::from).max(20);
    let rows = ROWS.iter().map(|row| (format!("/{} {}", row.name, row.argument), row.help));
    let rows = rows.chain([("//word".to_owned(), "send /word as a message")]);
    let mut text = String::new();
    for (command, help) in rows {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}", wrapped(&format!("{command:16}"), help, width));
    }
    let keys = "A line that ends in \\ goes on in the next one, and \"\"\" begins and ends several lines. Ctrl-C drops the \
                line, or stops the answer; Ctrl-D leaves.";
    text + "\n" + &textwrap::fill(keys, width)
}

/// `help` behind `command`; its further lines are indented, below a narrow terminal's command if need be.
fn wrapped(command: &str, help: &str, width: usize) -> String {
    let indent = " ".repeat(if width < 60 { 4 } else { command.len() });
    let options = textwrap::Options::new(width).initial_indent(command).subsequent_indent(&indent);
    textwrap::fill(help, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> String {
        let problem = Command::parse(line).unwrap_err();
        format!("{} | {}", problem.message, problem.hint.unwrap_or_default())
    }

    #[test]
    fn commands_are_words_after_a_slash() {
        for (line, command) in [
            ("/model", Command::Model(None)),
            ("/model anthropic:claude x", Command::Model(Some("anthropic:claude x".into()))),
            (" /system  Be brief.\nIn French. ", Command::System(Some("Be brief.\nIn French.".into()))),
            ("/undo ", Command::Undo),
            ("/retry", Command::Retry),
            ("/cost", Command::Cost),
            ("/view", Command::View),
            ("/save my talk.md", Command::Save("my talk.md".into())),
            ("/help", Command::Help),
            ("/exit", Command::Exit),
        ] {
            assert_eq!(Command::parse(line).unwrap(), Some(command), "{line:?}");
        }
    }

    #[test]
    fn other_lines_are_messages() {
        for (line, text) in
            [("hello /undo", "hello /undo"), ("  indented", "  indented"), ("//undo it", "/undo it"), (" ///", "//")]
        {
            assert_eq!(Command::parse(line).unwrap(), None, "{line:?}");
            assert_eq!(message(line), text);
        }
    }

    #[test]
    fn wrong_commands_are_explained() {
        assert_eq!(
            problem("/mdoel x"),
            "there is no command /mdoel; nothing was sent | did you mean '/model'? //mdoel sends /mdoel"
        );
        assert!(problem("/quit").contains("did you mean '/exit'?"));
        assert_eq!(
            problem("/etc/hosts is odd"),
            "there is no command /etc/hosts; nothing was sent | /help lists the commands, //etc/hosts sends /etc/hosts"
        );
        assert_eq!(problem("/save"), "/save needs FILE | ");
        assert_eq!(problem("/undo 2"), "/undo takes no text | ");
    }

    #[test]
    fn the_help_lists_every_command_in_the_width_of_the_terminal() {
        for width in [40, 120] {
            let help = help(Some(width));
            let width = usize::from(width);
            assert!(help.lines().all(|line| line.chars().count() <= width), "{help}");
            assert!(Command::names().all(|name| help.contains(&format!("/{name} "))), "{help}");
        }
    }
}
