//! Files for editors: `lmthing.d.ts`, Node's declarations, `jsconfig.json`. Made of the declarations that `lmthing
//! check` uses, so that both agree.

mod ambient;
mod settings;

pub(super) use ambient::{declarations, node_declarations};
pub(super) use settings::{ADVICE, JSCONFIG};

/// Beginning of the first line of each file that `lmthing types` may overwrite.
pub(super) const MARK: &str = "// Written by `lmthing types`";

fn first_line() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("{MARK} of lmthing {version}; the same command renews it, and what is changed here is lost.\n")
}
