//! The line editor, on a thread of its own: reading a line blocks.

use std::{borrow::Cow, cell::RefCell, path::PathBuf, sync::mpsc, thread};

use rustyline::{
    ColorMode, Config, Context, Editor, Helper,
    completion::{Completer, FilenameCompleter, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use tokio::sync::oneshot;

use super::{
    history,
    typed::{Typed, TypedLines},
};

/// Deep enough for the editor of long texts.
const STACK_SIZE: usize = 1 << 20;

pub(super) const PROMPT: &str = "> ";

pub(super) struct LineEditor {
    /// To the thread. Each line is read when it is asked for, so that nothing else reads the terminal meanwhile.
    requests: mpsc::Sender<oneshot::Sender<Option<Typed>>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EditorSettings {
    pub(super) has_colours: bool,
    /// The words that are completed behind a slash.
    pub(super) commands: fn() -> Vec<&'static str>,
}

impl LineEditor {
    pub(super) fn start(settings: EditorSettings) -> Self {
        let (requests, asked) = mpsc::channel::<oneshot::Sender<Option<Typed>>>();
        let work = move || {
            // Without an editor the input counts as ended.
            let Ok(mut editor) = open(settings) else { return };
            let path = history::path();
            if let Some(path) = &path {
                let _ = editor.load_history(path);
            }
            while let Ok(request) = asked.recv() {
                let _ = request.send(next_line(&mut editor, path.as_ref()));
            }
        };
        let _ = thread::Builder::new().name("editor".into()).stack_size(STACK_SIZE).spawn(work);
        LineEditor { requests }
    }

    /// The next text that is not blank; `None` when the user leaves.
    pub(super) async fn line(&self) -> Option<Typed> {
        let (sender, line) = oneshot::channel();
        let _ = self.requests.send(sender);
        line.await.ok().flatten()
    }
}

fn open(settings: EditorSettings) -> Result<Editor<Assistance, FileHistory>, ReadlineError> {
    let config = Config::builder()
        .max_history_size(history::MAX_ENTRIES)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .color_mode(if settings.has_colours { ColorMode::Enabled } else { ColorMode::Disabled })
        .completion_type(rustyline::CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Assistance {
        typed: RefCell::default(),
        files: FilenameCompleter::new(),
        commands: settings.commands,
    }));
    Ok(editor)
}

fn next_line(editor: &mut Editor<Assistance, FileHistory>, history: Option<&PathBuf>) -> Option<Typed> {
    loop {
        let read = editor.readline(PROMPT);
        let helper = editor.helper()?;
        let text = match read {
            Ok(text) => text,
            // Drops what was typed.
            Err(ReadlineError::Interrupted) => {
                helper.typed.take();
                continue;
            }
            Err(ReadlineError::Signal(_)) => continue,
            Err(_) => return None,
        };
        let typed = helper.typed.borrow_mut().take(&text);
        let (Typed::Line(meant) | Typed::Quoted(meant)) = &typed;
        if meant.trim().is_empty() {
            continue;
        }
        // Only of use: a chat goes on without it.
        if editor.add_history_entry(meant.as_str()).unwrap_or_default()
            && let Some(path) = history
        {
            let _ = editor.append_history(path);
        }
        return Some(typed);
    }
}

/// Completion, styles, and the end of a message.
struct Assistance {
    typed: RefCell<TypedLines>,
    files: FilenameCompleter,
    commands: fn() -> Vec<&'static str>,
}

impl Helper for Assistance {}

impl Hinter for Assistance {
    type Hint = String;
}

impl Validator for Assistance {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match self.typed.borrow_mut().goes_on(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Highlighter for Assistance {
    // Bold is readable on dark and on light terminals.
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _default: bool) -> Cow<'b, str> {
        Cow::Owned(format!("\x1b[1m{prompt}\x1b[0m"))
    }
}

impl Completer for Assistance {
    type Candidate = Pair;

    fn complete(&self, line: &str, end: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        if line.starts_with("/save ") {
            return self.files.complete(line, end, context);
        }
        let Some(typed) = line.get(..end).and_then(|typed| typed.strip_prefix('/')) else { return Ok((0, Vec::new())) };
        let names = (self.commands)().into_iter().filter(|name| name.starts_with(typed));
        let pair = |name: &str| Pair { display: format!("/{name}"), replacement: format!("/{name} ") };
        Ok((0, names.map(pair).collect()))
    }
}
