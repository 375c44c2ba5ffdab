//! What a prompt file may reach beside its own computing: the network, other programs, files it could change.
//!
//! Owns: the kinds of access, who may have which, and the words of a refusal. Must not know: how an access is made, nor
//! JavaScript. Reading files is free.

#[cfg(test)]
mod tests;

/// Something that reaches out of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'a> {
    /// Talks to a host, looks its name up, or listens. What is asked: an origin, a name, `host:port`, a socket's path.
    Network(&'a str),
    /// Starts a program, or sends a signal to one: its file, or its number.
    Run(&'a str),
    /// Makes, changes or removes something at this path.
    Write(&'a str),
    /// Changes something of the whole process, such as its working directory: in words.
    Process(&'a str),
}

/// How much of one kind of access is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// All of it.
    #[default]
    All,
    /// Nothing.
    Nothing,
}

/// The rights of a prompt file. The default is to have every one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    network: Rule,
    run: Rule,
    write: Rule,
    process: Rule,
    /// Who runs the file so, and to what end: the reason in refusals.
    who: &'static str,
}

impl Permissions {
    /// Nothing but to read files. `who` stands in refusals: `check renders`.
    pub fn reading_only(who: &'static str) -> Self {
        let nothing = Rule::Nothing;
        Permissions { network: nothing, run: nothing, write: nothing, process: nothing, who }
    }

    /// Whether nothing would be refused.
    pub fn allow_all(&self) -> bool {
        [self.network, self.run, self.write, self.process].iter().all(|rule| *rule == Rule::All)
    }

    /// Whether this may be done.
    ///
    /// # Errors
    /// What is refused, and why.
    pub fn check(&self, access: Access<'_>) -> Result<(), Refusal> {
        match self.rule(access) {
            Rule::All => Ok(()),
            Rule::Nothing => Err(Refusal { message: format!("{} {}", self.who, words(access)) }),
        }
    }

    fn rule(&self, access: Access<'_>) -> Rule {
        match access {
            Access::Network(_) => self.network,
            Access::Run(_) => self.run,
            Access::Write(_) => self.write,
            Access::Process(_) => self.process,
        }
    }
}

/// Why an access is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Who refuses what: `check renders without network: access to https://example.org is refused`.
    pub message: String,
}

fn words(access: Access<'_>) -> String {
    match access {
        Access::Network(host) => format!("without network: access to {host} is refused"),
        Access::Run(program) => format!("without other programs: {program} is not run"),
        Access::Write(path) => format!("without writing: {path} is left as it is"),
        Access::Process(what) => format!("without changing the process: {what} is refused"),
    }
}
