//! Type checks with the TypeScript of `runtime-js/node_modules`, with the settings of `lmthing check`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

/// The globals that files are checked with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Globals {
    /// `globals.d.ts`.
    Own,
    /// `@types/node`, and its modules.
    Node,
}

/// An error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complaint {
    /// The name of the file, without its folder.
    pub file: String,
    pub line: usize,
    /// Such as `TS2339`.
    pub code: String,
    /// The line as the compiler wrote it.
    pub text: String,
}

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime-js")
}

/// Checks files as one program; `None` if there is no compiler. TypeScript files must have types everywhere,
/// JavaScript need not.
pub(crate) fn check(files: &[PathBuf], globals: Globals) -> Option<Vec<Complaint>> {
    let modules = runtime().join("node_modules");
    let (compiler, zod) = (modules.join("typescript/bin/tsc"), modules.join("zod"));
    if !compiler.exists() || !zod.exists() {
        return None;
    }
    let types = runtime().join("types");
    let globals = match globals {
        Globals::Own => types.join("globals.d.ts"),
        Globals::Node => modules.join("@types/node/index.d.ts"),
    };
    let own = [types.join("lmthing.d.ts"), types.join("additions.d.ts"), globals];
    let typescript = files.iter().any(|file| file.extension().is_some_and(|extension| extension != "mjs"));
    let config = json!({
        "compilerOptions": {
            "noEmit": true, "allowJs": true, "checkJs": true, "strict": true, "skipLibCheck": true,
            "noImplicitAny": typescript, "useUnknownInCatchVariables": typescript,
            "target": "esnext", "lib": ["esnext"], "types": [],
            "module": "esnext", "moduleResolution": "bundler", "moduleDetection": "force",
            "allowImportingTsExtensions": true, "resolveJsonModule": true,
            "paths": { "zod": [zod], "undici-types": [modules.join("undici-types")] },
        },
        "files": files.iter().chain(&own).collect::<Vec<_>>(),
    });
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("tsconfig.json");
    fs::write(&path, config.to_string()).expect("a file can be written");
    let mut command = Command::new("node");
    let output = command.arg(compiler).arg("-p").arg(path).args(["--pretty", "false"]).output().expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() || !text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(text.lines().filter_map(complaint).collect())
}

/// Parses `folder/file.mjs(1,2): error TS3: …`; the lines that follow have the reasons.
fn complaint(line: &str) -> Option<Complaint> {
    let (place, rest) = line.split_once("): error ")?;
    let (path, position) = place.rsplit_once('(')?;
    let file = Path::new(path).file_name()?.to_string_lossy().into_owned();
    let line_number = position.split(',').next()?.parse().ok()?;
    let code = rest.split(':').next()?.to_owned();
    Some(Complaint { file, line: line_number, code, text: line.to_owned() })
}
