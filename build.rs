//! Sets the linker flags of the release binary.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LMTHING_PLAIN_LINK");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let is_linux = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    // The flags are those of LLD, which Rust ships for this target.
    let has_lld = is_linux && variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    if !has_lld || variable("PROFILE") != "release" || !variable("LMTHING_PLAIN_LINK").is_empty() {
        return;
    }
    // Identical code and data is linked once: the type checker's tables of messages alone exist 22 times. Without relocations the
    // program starts in two thirds of the time and needs half of the memory.
    for argument in ["-no-pie", "-Wl,--icf=all", "-Wl,--ignore-data-address-equality", "-Wl,-O2"] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
}
