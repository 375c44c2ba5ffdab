//! The parameters of a run on a server.

use std::cell::RefCell;

use crate::cli::args::RunArgs;
use lmthing_system::{process::shell_quoted, remote::Address};

pub(super) struct RemoteRun<'a> {
    pub(super) args: &'a RunArgs,
    pub(super) on: &'a Address,
    pub(super) service: String,
    pub(super) key: String,
    pub(super) variables: Vec<(String, String)>,
    pub(super) invocation: RefCell<Option<String>>,
}

impl RemoteRun<'_> {
    pub(super) fn admin(&self) -> Address {
        self.args.admin.clone().unwrap_or_else(|| self.on.admin())
    }

    pub(super) fn continuation_message(&self) -> String {
        let again = format!("  to wait for it again: {}\n", self.command());
        match &*self.invocation.borrow() {
            Some(invocation) => format!(
                "The run goes on at the server as {invocation}.\n{again}  to cancel it: curl -X PATCH {}/invocations/{invocation}/cancel\n",
                self.admin()
            ),
            None => format!("The run may have been submitted.\n{again}"),
        }
    }

    /// The command that waits for the same run.
    fn command(&self) -> String {
        let mut words = vec!["lmthing".to_owned(), "run".to_owned()];
        words.extend(self.args.remote.words());
        words.extend(["--key".to_owned(), self.key.clone()]);
        words.extend(self.args.admin.iter().flat_map(|admin| ["--admin".to_owned(), admin.to_string()]));
        words.extend(self.args.permissions.words());
        words.extend(self.args.input.iter().flat_map(|input| ["--input".to_owned(), input.clone()]));
        words.push(self.args.file().display().to_string());
        words.extend(self.args.words().unwrap_or_default());
        words.iter().map(|text| shell_quoted(text)).collect::<Vec<_>>().join(" ")
    }
}
