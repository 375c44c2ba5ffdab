//! `lmthing worker FILES` (docs/scale.md), in builds with the feature.

#[cfg(feature = "worker")]
mod options;
#[cfg(feature = "worker")]
mod serve;

#[cfg(feature = "worker")]
pub(in crate::cli) use serve::run;

#[cfg(not(feature = "worker"))]
pub(in crate::cli) fn run(
    _: &crate::cli::worker_args::WorkerArgs,
    printer: &crate::cli::Printer,
) -> crate::cli::ExitCode {
    let problem = lmthing_base::diagnostic::Diagnostic::new("this build of lmthing has no worker").with_hint(
        "the release archives have it; from source: cargo build --release --ignore-rust-version --features worker",
    );
    printer.diagnostic(&problem);
    crate::cli::ExitCode::Usage
}
