//! Sets the linker flags of the release binary, and packs the documentation that `lmthing docs` prints.

use std::{
    env,
    error::Error,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::DeflateEncoder};

/// Files, and folders with the ending of the files in them that are packed.
const DOCUMENTATION: [(&str, &str); 7] = [
    ("SKILL.md", ""),
    ("llms.txt", ""),
    ("docs/guide", ".md"),
    ("docs/reference", ".md"),
    ("docs/events.schema.json", ""),
    ("SECURITY.md", ""),
    ("examples", ".lmt.mjs"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    set_linker_flags();
    pack_documentation()
}

fn set_linker_flags() {
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

/// Writes `docs.bin`: of each file its path and its text, each with a NUL at its end, compressed.
fn pack_documentation() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let output = Path::new(&env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?).join("docs.bin");
    let mut packed = DeflateEncoder::new(File::create(output)?, Compression::best());
    for (place, ending) in DOCUMENTATION {
        println!("cargo:rerun-if-changed={place}");
        let paths = if ending.is_empty() { vec![place.to_owned()] } else { files_in(&root, place, ending)? };
        for path in paths {
            let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("cannot read {path}: {error}"))?;
            write!(packed, "{path}\0{text}\0")?;
        }
    }
    packed.finish()?;
    Ok(())
}

fn files_in(root: &Path, folder: &str, ending: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("cannot read {folder}: {error}"))?;
    let mut paths = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(ending) {
            paths.push(format!("{folder}/{name}"));
        }
    }
    paths.sort_unstable();
    Ok(paths)
}
