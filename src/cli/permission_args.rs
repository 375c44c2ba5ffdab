//! Options that restrict a prompt file and grant rights to it (docs/reference/permissions.md). Doc comments of
//! options are help
//! texts.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    fmt::Display,
    path::{Path, PathBuf},
};

use clap::{Args, ValueHint};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failure::WrongUsage;
use lmthing_base::permission::{Grant, HostRule, ProgramFolders, ProtectedFiles, Restricted, can_confine_programs};
use lmthing_providers::key_variables;
use lmthing_store::trace::otel;
use lmthing_system::remote::{INGRESS_VARIABLE, TOKEN_VARIABLE};

/// Key under which these options are stored with a run.
pub(super) const PERMISSIONS: &str = "permissions";

/// Value of an option without a value. It cannot be typed.
const ALL: &str = "\0";

/// What a prompt file may reach.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PermissionArgs {
    /// Take every right from the prompt file but to read its own folder and node_modules
    #[arg(long)]
    restrict: bool,

    /// Restricted: let it read these files and folders, or all
    #[arg(long, value_name = "PATHS", num_args = 0..=1, require_equals = true, default_missing_value = ALL,
          value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    allow_read: Vec<String>,

    /// Restricted: let it make, change and remove these files and folders, or all
    #[arg(long, value_name = "PATHS", num_args = 0..=1, require_equals = true, default_missing_value = ALL,
          value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    allow_write: Vec<String>,

    /// Restricted: let it talk to these hosts (example.org, example.org:443, *.example.org), or all
    #[arg(long, value_name = "HOSTS", num_args = 0..=1, require_equals = true, default_missing_value = ALL,
          value_delimiter = ',')]
    allow_net: Vec<String>,

    /// Restricted: let it read these variables, or all but keys of providers
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = ALL,
          value_delimiter = ',')]
    allow_env: Vec<String>,

    /// Restricted: let it start these programs, or all
    #[arg(long, value_name = "PROGRAMS", num_args = 0..=1, require_equals = true, default_missing_value = ALL,
          value_delimiter = ',', value_hint = ValueHint::CommandName)]
    allow_run: Vec<String>,
}

impl PermissionArgs {
    pub(super) fn is_restricted(&self) -> bool {
        let given = [&self.allow_read, &self.allow_write, &self.allow_net, &self.allow_env, &self.allow_run];
        self.restrict || given.iter().any(|list| !list.is_empty())
    }

    /// The options as arguments.
    pub(super) fn words(&self) -> Vec<String> {
        let given = [
            ("--allow-read", &self.allow_read),
            ("--allow-write", &self.allow_write),
            ("--allow-net", &self.allow_net),
            ("--allow-env", &self.allow_env),
            ("--allow-run", &self.allow_run),
        ];
        let word = |option: &str, value: &String| match value.as_str() {
            ALL => option.to_owned(),
            value => format!("{option}={value}"),
        };
        let given = given.iter().flat_map(|(option, values)| values.iter().map(move |value| word(option, value)));
        self.restrict.then(|| "--restrict".to_owned()).into_iter().chain(given).collect()
    }

    /// These options, or those stored with the run (see [`PermissionArgs::stored`]) if none was given.
    pub(super) fn or_stored(&self, before: Option<&Value>) -> Self {
        let before = before.filter(|_| !self.is_restricted()).map(PermissionArgs::deserialize);
        match before {
            // Resolved before the working directory changes to that of the run.
            None => self.absolute(),
            Some(Ok(before)) => before,
            // Written by a later version: nothing is granted.
            Some(Err(_)) => PermissionArgs { restrict: true, ..PermissionArgs::default() },
        }
    }

    /// The options to store with a run, if any.
    pub(super) fn stored(&self) -> Option<Value> {
        self.is_restricted().then(|| serde_json::to_value(self.absolute()).ok()).flatten()
    }

    /// Absolute paths, as a resumed run may have another working directory.
    fn absolute(&self) -> Self {
        let path = |typed: &String| match std::path::absolute(typed) {
            Ok(path) if typed != ALL && !typed.is_empty() => path.to_string_lossy().into_owned(),
            _ => typed.clone(),
        };
        let program = |typed: &String| if typed.contains('/') { path(typed) } else { typed.clone() };
        PermissionArgs {
            allow_read: self.allow_read.iter().map(path).collect(),
            allow_write: self.allow_write.iter().map(path).collect(),
            allow_run: self.allow_run.iter().map(program).collect(),
            ..self.clone()
        }
    }

    /// The rights of the file; `None` if it is not restricted.
    pub(super) fn rights(&self, file: &Path, variables: &[(String, String)]) -> Result<Option<Restricted>, WrongUsage> {
        if !self.is_restricted() {
            return Ok(None);
        }
        let variable = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let programs = ProgramFolders::new(variable("PATH").unwrap_or_default());
        let run = reach("--allow-run", &self.allow_run, |name| {
            let found = programs.named(Path::new(name));
            found.ok_or("there is no such program")
        })?;
        if run != Grant::default() && !can_confine_programs() {
            let problem = "--allow-run: this system cannot hold programs to the rights of a restricted prompt file: that takes landlock, \
                           of Linux 5.13 or newer. Leave --allow-run out, or the other options that restrict the file";
            return Err(WrongUsage::plain(problem.to_owned()));
        }
        Ok(Some(Restricted {
            own: own_folders(file),
            read: reach("--allow-read", &self.allow_read, path)?,
            write: reach("--allow-write", &self.allow_write, path)?,
            net: reach("--allow-net", &self.allow_net, HostRule::parse)?,
            env: reach("--allow-env", &self.allow_env, |name| Ok::<_, Infallible>(name.to_owned()))?,
            run,
            programs,
            protected: ProtectedFiles::default(),
            keys: keys(variables),
            known: Default::default(),
        }))
    }
}

/// The variables that hold keys: of providers, of the span collector, of a Restate server.
fn keys(variables: &[(String, String)]) -> BTreeSet<String> {
    let secrets = otel::header_variables().into_iter().chain([TOKEN_VARIABLE.to_owned()]);
    let addresses = otel::address_variables().into_iter().chain([INGRESS_VARIABLE.to_owned()]);
    key_variables(variables, secrets, addresses)
}

/// Parses the values of one option.
fn reach<T, E: Display>(
    option: &str,
    values: &[String],
    mut read: impl FnMut(&str) -> Result<T, E>,
) -> Result<Grant<T>, WrongUsage> {
    if values.iter().any(|value| value == ALL) {
        return Ok(Grant::All);
    }
    let mut one = |value: &String| {
        let wrong = |problem: &dyn Display| WrongUsage::plain(format!("{option}={value}: {problem}"));
        if value.is_empty() {
            return Err(wrong(&"expected a name behind ="));
        }
        read(value).map_err(|problem| wrong(&problem))
    };
    values.iter().map(&mut one).collect::<Result<_, _>>().map(Grant::Only)
}

/// Resolves a path, which need not exist.
fn path(typed: &str) -> Result<PathBuf, &'static str> {
    lmthing_base::permission::real_path(Path::new(typed)).ok_or("the path cannot be resolved")
}

/// The folder of a file, and the `node_modules` folders in which packages are looked up.
fn own_folders(file: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned)) else {
        return Vec::new();
    };
    let packages =
        folder.ancestors().map(|folder| folder.join("node_modules")).filter_map(|path| path.canonicalize().ok());
    // A link may lead to the packages of another project, but not to any folder.
    let packages = packages.filter(|path| path.ends_with("node_modules"));
    packages.chain([folder.clone()]).collect()
}
