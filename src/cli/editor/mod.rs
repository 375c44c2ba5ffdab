//! What editors need of lmthing, as texts: `lmthing.d.ts`, Node's declarations, a `jsconfig.json`. They are made of the
//! declarations that `lmthing check` uses, so that both say the same. Must not know where they are written.

mod ambient;
mod settings;

pub(super) use ambient::{declarations, node_declarations};
pub(super) use settings::{ADVICE, JSCONFIG};

/// How the first line of each file begins that `lmthing types` may write anew.
pub(super) const MARK: &str = "// Written by `lmthing types`";

/// The first line of such a file.
fn first_line() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("{MARK} of lmthing {version}; the same command renews it, and what is changed here is lost.\n")
}
