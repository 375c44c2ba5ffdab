//! Requests that are not answered yet.

use std::{collections::HashMap, sync::Arc};

use gen_lsp_types::{CodeActionParams, json_rpc::Id};
use lmthing_check::Cancellation;
use tokio::sync::Notify;

pub(crate) enum Task {
    /// A file is rendered.
    Hover(Cancellation),
    /// A process runs.
    Command(Arc<Notify>),
    /// Quick fixes wait for the check of the present text.
    Fixes(Box<CodeActionParams>),
}

#[derive(Default)]
pub(crate) struct Tasks(HashMap<Id, Task>);

impl Tasks {
    pub(crate) fn add(&mut self, id: Id, task: Task) {
        self.0.insert(id, task);
    }

    /// Removes a request that is answered now. `false` if it was cancelled.
    pub(crate) fn finish(&mut self, id: &Id) -> bool {
        self.0.remove(id).is_some()
    }

    /// Ends the work for a request. `false` if there is none.
    pub(crate) fn cancel(&mut self, id: &Id) -> bool {
        let task = self.0.remove(id);
        match &task {
            Some(Task::Hover(cancellation)) => cancellation.cancel(),
            Some(Task::Command(end)) => end.notify_one(),
            Some(Task::Fixes(_)) | None => {}
        }
        task.is_some()
    }

    /// Takes the requests for quick fixes that `is_ready`.
    pub(crate) fn take_fixes(&mut self, is_ready: impl Fn(&CodeActionParams) -> bool) -> Vec<(Id, CodeActionParams)> {
        let ready = self.0.extract_if(|_, task| matches!(task, Task::Fixes(params) if is_ready(params)));
        let fixes = |(id, task)| match task {
            Task::Fixes(params) => Some((id, *params)),
            Task::Hover(_) | Task::Command(_) => None,
        };
        ready.filter_map(fixes).collect()
    }

    /// Ends all work. Returns whether processes have to end.
    pub(crate) fn cancel_all(&mut self) -> bool {
        let ids: Vec<Id> = self.0.keys().cloned().collect();
        let has_process = self.0.values().any(|task| matches!(task, Task::Command(_)));
        for id in ids {
            self.cancel(&id);
        }
        has_process
    }
}
