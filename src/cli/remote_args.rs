//! Options for runs on a Restate server (docs/map.md, "On a server"). Doc comments of options are help texts.

use std::path::Path;

use clap::{Args, builder::NonEmptyStringValueParser};

use super::failure::WrongUsage;
use crate::{
    remote::{Address, read_address},
    serve::service_of,
};

/// Where a file is run.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct RemoteArgs {
    /// Have it run by `lmthing worker` at the Restate server whose ingress has this address, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL", value_parser = read_address)]
    pub(super) on: Option<Address>,

    /// With --on: the service, when it is not called as the file
    #[arg(long, value_name = "NAME", requires = "on", value_parser = NonEmptyStringValueParser::new())]
    service: Option<String>,
}

impl RemoteArgs {
    /// The name of the file's service.
    pub(super) fn service(&self, file: &Path) -> String {
        self.service.clone().unwrap_or_else(|| service_of(file))
    }

    /// The options as arguments.
    pub(super) fn words(&self) -> Vec<String> {
        let on = self.on.as_ref().map(|on| ["--on".to_owned(), on.to_string()]);
        let service = self.service.as_ref().map(|service| ["--service".to_owned(), service.clone()]);
        on.into_iter().chain(service).flatten().collect()
    }
}

/// Refuses options that only work where the file runs.
pub(super) fn check_elsewhere<'a>(given: impl IntoIterator<Item = (bool, &'a str)>) -> Result<(), WrongUsage> {
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(WrongUsage::new(
            format!("{option} cannot be used with --on: it is for where the file runs"),
            "give it to lmthing worker",
        )),
        None => Ok(()),
    }
}
