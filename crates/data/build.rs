//! Makes the archives of locales, prices and TypeScript's library with the scripts in `runtime-js/`. Apart from the bytecode, so that a
//! change of JavaScript does not compile the crates that use these.

use std::{
    error::Error,
    path::Path,
    process::{Command, ExitCode},
};

use lmthing_build::{Files, check_node, describe, run_in};

/// What of `runtime-js/` the archives are made from.
const INPUTS: [&str; 8] = [
    "data.mjs",
    "crates.mjs",
    "declarations.mjs",
    "library.mjs",
    "prices.mjs",
    "package.json",
    "package-lock.json",
    "locales",
];

const ARCHIVES: [&str; 3] = ["locales.bin", "prices.bin", "library.bin"];

fn main() -> ExitCode {
    lmthing_build::end("make the tables of lmthing", run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let output = std::env::var("OUT_DIR")?;
    let output = Path::new(&output);
    println!("cargo:rerun-if-changed=build.rs");
    match Files::find()? {
        Files::Bundled(dist) => ARCHIVES.iter().try_for_each(|archive| {
            let from = dist.join(archive);
            std::fs::copy(&from, output.join(archive)).map(drop).map_err(describe("copy", &from))
        }),
        Files::Sources(sources) => {
            // It names the versions of the crates that have the price table and the declarations of the language.
            println!("cargo:rerun-if-changed=../../Cargo.lock");
            for input in INPUTS {
                println!("cargo:rerun-if-changed=../../runtime-js/{input}");
            }
            check_node()?;
            let root = sources.join("..");
            run_in(&sources, Command::new("node").arg("data.mjs").arg(output).arg(root))
        }
    }
}
