//! Builds the JavaScript half of lmthing: bundles every entry of `runtime-js/builtins.json` with esbuild, compiles the
//! bundles to QuickJS bytecode and generates the table that `src/lib.rs` includes. Also makes the
//! archive of declarations and the pages of `lmthing view` and `lmthing eval`.
//!
//! Needs Node 20 or newer and npm, at build time only. All work happens on a copy in `OUT_DIR`, so the source tree may be
//! read-only; `npm ci` runs only when the lock file is not the one that was installed last.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use lmthing_build::{Files, check_node, describe, run_in};
use rquickjs::loader::{Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{CatchResultExt, Context, Ctx, Module, Runtime, WriteOptions, WriteOptionsEndianness};

/// The inputs of the build in `runtime-js/`; other files may change without a rebuild.
const INPUTS: [&str; 12] = [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "builtins.json",
    "bundle.mjs",
    "chai-parts.mjs",
    "declarations.mjs",
    "pages.mjs",
    "pages",
    "src",
    "types",
    "zod",
];

/// Smallest bytecode that is compressed to less than half.
const WORTH_PACKING: usize = 4 << 10;

fn main() -> ExitCode {
    lmthing_build::end("build the JavaScript runtime", run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let output = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    println!("cargo:rerun-if-changed=build.rs");
    // A published package has `builtins.json` with the bundles.
    let (source, bundles) = match Files::find()? {
        Files::Bundled(dist) => (dist.clone(), dist),
        Files::Sources(source) => {
            for input in INPUTS {
                println!("cargo:rerun-if-changed=../../runtime-js/{input}");
            }
            let bundles = make_bundles(&source, &output)?;
            (source, bundles)
        }
    };

    let builtins = read_builtins(&source)?;
    let bytecode = output.join("bytecode");
    fs::create_dir_all(&bytecode).map_err(describe("create", &bytecode))?;
    let mut lengths = Vec::new();
    for (index, builtin) in builtins.iter().enumerate() {
        let path = bundles.join(format!("{index}.js"));
        let code = fs::read(&path).map_err(describe("read", &path))?;
        let path = bytecode.join(format!("{index}.bin"));
        let code = compile(builtin, code)?;
        let is_packed = !builtin.is_hot && code.len() >= WORTH_PACKING;
        lengths.push(if is_packed { code.len() } else { 0 });
        let stored = if is_packed { pack(&code).map_err(describe("pack", &path))? } else { code };
        fs::write(&path, stored).map_err(describe("write", &path))?;
    }
    for archive in ["declarations.bin", "view.bin", "eval.bin"] {
        let path = bundles.join(archive);
        fs::copy(&path, output.join(archive)).map_err(describe("copy", &path))?;
    }
    let table = output.join("builtins.rs");
    fs::write(&table, generate_table(&builtins, &lengths)).map_err(describe("write", &table))
}

fn make_bundles(source: &Path, output: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let stage = output.join("runtime-js");
    copy_inputs(source, &stage)?;
    check_node()?;
    install_packages(&stage)?;
    let bundles = output.join("bundles");
    bundle(&stage, &bundles)?;
    Ok(bundles)
}

/// One entry of `builtins.json`.
struct Builtin {
    name: String,
    aliases: Vec<String>,
    /// Built-in modules with minified names have no line numbers.
    minified: bool,
    /// Loaded by most runs, so it is stored uncompressed.
    is_hot: bool,
}

/// Copies the inputs to the stage. Folders are emptied first, so that removed files do not stay.
fn copy_inputs(source: &Path, stage: &Path) -> Result<(), Box<dyn Error>> {
    for stale in ["src", "types", "pages", "zod"].map(|folder| stage.join(folder)) {
        if stale.exists() {
            fs::remove_dir_all(&stale).map_err(describe("remove", &stale))?;
        }
    }
    fs::create_dir_all(stage).map_err(describe("create", stage))?;
    INPUTS.iter().try_for_each(|input| copy(&source.join(input), &stage.join(input)))
}

fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop).map_err(describe("copy", from));
    }
    fs::create_dir_all(to).map_err(describe("create", to))?;
    for entry in fs::read_dir(from).map_err(describe("read", from))? {
        let entry = entry.map_err(describe("read", from))?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Runs `npm ci` unless the installed packages are those of this lock file.
fn install_packages(stage: &Path) -> Result<(), Box<dyn Error>> {
    let lock = fs::read(stage.join("package-lock.json")).map_err(describe("read", stage))?;
    let stamp = stage.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    run_in(stage, Command::new(npm).args(["ci", "--omit=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]))
        .map_err(|error| format!("{error}\nIs the npm registry reachable? `npm ci` downloads the packages of runtime-js/package-lock.json once."))?;
    fs::write(&stamp, lock).map_err(describe("write", &stamp))
}

/// Bundles every builtin to `bundles/<index>.js`, and writes the archives of locales, prices and declarations.
fn bundle(stage: &Path, bundles: &Path) -> Result<(), Box<dyn Error>> {
    run_in(stage, Command::new("node").arg("bundle.mjs").arg(bundles))
}

/// Reads `builtins.json` with QuickJS, which saves a dependency on a JSON library.
fn read_builtins(source: &Path) -> Result<Vec<Builtin>, Box<dyn Error>> {
    let path = source.join("builtins.json");
    let text = fs::read_to_string(&path).map_err(describe("read", &path))?;
    with_context(|ctx| {
        let table: rquickjs::Object = ctx.json_parse(text)?.get()?;
        table
            .props::<String, rquickjs::Object>()
            .map(|entry| {
                let (name, entry) = entry?;
                Ok(Builtin {
                    name,
                    aliases: entry.get::<_, Option<Vec<String>>>("aliases")?.unwrap_or_default(),
                    minified: entry.get::<_, Option<bool>>("minifyNames")?.unwrap_or_default(),
                    is_hot: entry.get::<_, Option<bool>>("hot")?.unwrap_or_default(),
                })
            })
            .collect()
    })
}

/// Compiles one bundle; its imports stay names that the run-time loader resolves.
fn compile(builtin: &Builtin, code: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error>> {
    let big = env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big");
    let endianness = if big { WriteOptionsEndianness::Big } else { WriteOptionsEndianness::Little };
    let options =
        WriteOptions { endianness, strip_source: true, strip_debug: builtin.minified, ..WriteOptions::default() };
    let name = builtin.name.clone();
    with_context(|ctx| Module::declare(ctx, name, code)?.write(options))
        .map_err(|error| format!("cannot compile builtin {:?}: {error}", builtin.name).into())
}

fn with_context<T>(work: impl for<'js> FnOnce(Ctx<'js>) -> rquickjs::Result<T>) -> Result<T, Box<dyn Error>> {
    let runtime = Runtime::new()?;
    runtime.set_loader(Unresolved, Unresolved);
    let context = Context::full(&runtime)?;
    context.with(|ctx| work(ctx.clone()).catch(&ctx).map_err(|error| error.to_string().into()))
}

/// Resolves every import to an empty module: QuickJS resolves imports when it compiles a module, but stores only their
/// names.
struct Unresolved;

impl Resolver for Unresolved {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<rquickjs::loader::ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Ok(name.to_owned())
    }
}

impl Loader for Unresolved {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<rquickjs::loader::ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        Module::declare(ctx.clone(), name, "")
    }
}

fn pack(bytecode: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytecode)?;
    encoder.finish()
}

/// `lengths` are the uncompressed lengths of compressed bytecode, and 0 for the rest.
fn generate_table(builtins: &[Builtin], lengths: &[usize]) -> String {
    let count = builtins.len();
    let mut table = format!(
        "/// The name of each built-in module, and its aliases.\npub static NAMES: [(&str, &[&str]); {count}] = [\n"
    );
    for Builtin { name, aliases, .. } in builtins {
        writeln!(table, "    ({name:?}, &{aliases:?}),").expect("writing to a string");
    }
    write!(table, "];\n\nstatic BUILTINS: [Builtin; {count}] = [\n").expect("writing to a string");
    for (index, length) in lengths.iter().enumerate() {
        let bytes = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/bytecode/{index}.bin\"))");
        writeln!(table, "    Builtin::new({bytes}, {length}),").expect("writing to a string");
    }
    table.push_str("];\n");
    table
}
