//! `lmthing chat FILE` (docs/reference/chat.md): a prompt file goes on as a conversation.

mod command;
mod conversation;
mod front;
mod piped;
mod save;
mod terminal;

use std::{
    io::{self, IsTerminal},
    rc::Rc,
};

use super::{
    resume, run,
    speaker::{MakeSpeaker, SpeakerContext},
};
use crate::cli::{ExitCode, Printer, args::RunArgs, chat_args::ChatArgs};
use conversation::Conversation;
use front::Front;
use lmthing_base::checkpoint::UserSettings;
use piped::Piped;
use terminal::Terminal;

pub(in crate::cli) fn run(args: &ChatArgs, printer: &Printer) -> ExitCode {
    match &args.resume {
        Some(id) => resume::resume_chat(args, id, printer, user),
        None => run::run_talk(&to_run(args), printer, None, user(None, None)),
    }
}

/// The run that the conversation is.
fn to_run(args: &ChatArgs) -> RunArgs {
    RunArgs {
        input: args.input.clone(),
        setup: args.setup.clone(),
        show: args.show,
        limits: args.limits.clone(),
        approvals: args.approvals.clone(),
        permissions: args.permissions.clone(),
        journal: Some(args.journal.clone()),
        record: args.record.clone(),
        replay: args.replay.clone(),
        file_and_words: args.file_and_words.clone(),
        is_chat: true,
        ..RunArgs::default()
    }
}

/// The user of the conversation. `earlier` is what was set in an earlier process, `model` the one of `-m`.
fn user(earlier: Option<UserSettings>, model: Option<String>) -> MakeSpeaker {
    Box::new(|context: SpeakerContext| {
        let show = context.show.clone();
        let is_terminal = io::stdin().is_terminal() && show.printer.stdout_is_terminal();
        let front: Rc<dyn Front> = if is_terminal { Rc::new(Terminal::new(show)) } else { Rc::new(Piped::new(show)) };
        Rc::new(Conversation::new(context, front, earlier, model))
    })
}
