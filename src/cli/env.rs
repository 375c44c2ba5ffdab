//! The environment of a run: `.env` of the working directory, and real variables over it. The process's own environment
//! is not changed: what a run sees, it is given.

use std::path::Path;

/// The variables of the process, with those of `directory/.env` that are not set. A line of `.env` that cannot be read
/// is reported and left out.
pub(super) fn variables(directory: &Path) -> (Vec<(String, String)>, Vec<String>) {
    // `vars` would panic at a variable that is no Unicode.
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect();
    let mut problems = Vec::new();
    let Ok(entries) = dotenvy::from_path_iter(directory.join(".env")) else { return (variables, problems) };
    for entry in entries {
        match entry {
            Ok((name, value)) if !variables.iter().any(|(known, _)| *known == name) => variables.push((name, value)),
            Ok(_) => {}
            // The error's own text shows the line, which may hold a secret.
            Err(dotenvy::Error::LineParse(_, position)) => {
                problems.push(format!(".env: a line cannot be read (at character {position}) and is left out"));
            }
            Err(error) => problems.push(format!(".env: {error}")),
        }
    }
    (variables, problems)
}
