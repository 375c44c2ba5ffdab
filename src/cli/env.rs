//! Variables of a run: those of the process, then `--env-file`, then `.env` of the working directory. The process's own
//! environment is not changed.

use std::{
    io::Cursor,
    path::{Path, PathBuf},
};

use super::failure::WrongUsage;
use lmthing_base::diagnostic::did_you_mean;
use lmthing_system::{
    process::PARENT_VARIABLE,
    user_file::{self, MAX_SETTINGS},
};

type Variables = Vec<(String, String)>;

pub(super) struct Environment {
    pub(super) variables: Variables,
    pub(super) problems: Vec<String>,
    pub(super) wrong: Option<WrongUsage>,
}

/// The variables of the process and of `directory/.env`, with warnings about invalid lines.
pub(super) fn variables(directory: &Path) -> (Variables, Vec<String>) {
    let environment = with_files(directory, &[]);
    (environment.variables, environment.problems)
}

/// As [`variables`], with the files of the command line, which have precedence over `.env`. Of two files, the last wins.
pub(super) fn with_files(directory: &Path, files: &[PathBuf]) -> Environment {
    // `vars` panics at a variable that is not Unicode.
    let variables = std::env::vars_os()
        .filter(|(name, _)| name != PARENT_VARIABLE)
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect();
    let mut environment = Environment { variables, problems: Vec::new(), wrong: None };
    for file in files.iter().rev() {
        let shown = file.display().to_string();
        let read = entries(file).and_then(|entries| environment.add(&shown, entries));
        if let Err(error) = read {
            environment.wrong = Some(unreadable(file, &error));
        }
    }
    // The file usually does not exist.
    if let Ok(entries) = entries(&directory.join(".env"))
        && let Err(error) = environment.add(".env", entries)
    {
        environment.problems.push(format!(".env: {error}"));
    }
    environment
}

fn entries(file: &Path) -> Result<dotenvy::Iter<Cursor<Vec<u8>>>, dotenvy::Error> {
    let bytes = user_file::read(file, MAX_SETTINGS).map_err(dotenvy::Error::Io)?;
    Ok(dotenvy::from_read_iter(Cursor::new(bytes)))
}

/// Whether a variable is set and not `0` or `false`, as CI services use them.
pub(super) fn is_set(variables: &[(String, String)], name: &str) -> bool {
    let value = variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    value.is_some_and(|value| !matches!(value, "" | "0" | "false"))
}

impl Environment {
    fn add<R: std::io::Read>(&mut self, shown: &str, entries: dotenvy::Iter<R>) -> Result<(), dotenvy::Error> {
        for entry in entries {
            match entry {
                Ok((name, value)) if !self.variables.iter().any(|(known, _)| *known == name) => {
                    self.variables.push((name, value));
                }
                Ok(_) => {}
                // The error's own message contains the line, which may hold a secret.
                Err(dotenvy::Error::LineParse(_, position)) => {
                    let problem = format!("{shown}: a line cannot be read (at character {position}) and is left out");
                    self.problems.push(problem);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn unreadable(file: &Path, error: &dotenvy::Error) -> WrongUsage {
    let shown = file.display();
    let what = match error {
        dotenvy::Error::Io(error) => super::failure::io_error_text(error),
        error => error.to_string(),
    };
    let meant = if file.exists() { None } else { did_you_mean(file, |_| true) };
    let expected = || "expected a file with a line NAME=value for each variable".to_owned();
    WrongUsage::new(format!("--env-file: cannot read {shown}: {what}"), meant.unwrap_or_else(expected))
}
