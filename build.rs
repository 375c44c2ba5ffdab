//! Builds the JavaScript half of lmthing: bundles every entry of `runtime-js/builtins.json` with esbuild, compiles the
//! bundles to QuickJS bytecode and generates the table that `src/script/builtin.rs` includes. Also makes the archives
//! of locales, prices and declarations, and the page of `lmthing view`.
//!
//! Needs Node 20 or newer and npm, at build time only. Works on a copy in `OUT_DIR`, so the source tree may be
//! read-only; `npm ci` runs only when the lock file has changed.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rquickjs::loader::{Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{CatchResultExt, Context, Ctx, Module, Runtime, WriteOptions, WriteOptionsEndianness};

/// The inputs of the build in `runtime-js/`; a change of any other file causes no rebuild.
const INPUTS: [&str; 16] = [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "builtins.json",
    "bundle.mjs",
    "chai-parts.mjs",
    "crates.mjs",
    "library.mjs",
    "prices.mjs",
    "declarations.mjs",
    "view.mjs",
    "src",
    "locales",
    "types",
    "view",
    "zod",
];

/// Smallest bytecode, in bytes, that packing shrinks to less than half.
const WORTH_PACKING: usize = 4 << 10;

fn main() {
    if let Err(message) = run() {
        // Cargo shows this line prominently, unlike the standard error of a failed build script.
        println!("cargo:error=cannot build the JavaScript runtime: {}", message.replace('\n', "\ncargo:error="));
        std::process::exit(1);
    }
}

/// Links the release binary smaller: LLD folds identical data (the type checker's message tables alone occur 22 times).
/// Without relocations the program starts in two thirds of the time and takes half of the memory. LLD comes with Rust
/// on this target.
fn link_small() {
    println!("cargo:rerun-if-env-changed=LMTHING_PLAIN_LINK");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let is_linux = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    let has_lld = is_linux && variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    if has_lld && variable("PROFILE") == "release" && variable("LMTHING_PLAIN_LINK").is_empty() {
        for argument in ["-no-pie", "-Wl,--icf=all", "-Wl,--ignore-data-address-equality", "-Wl,-O2"] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
    }
}

fn run() -> Result<(), String> {
    link_small();
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let source = root.join("runtime-js");
    let output = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    println!("cargo:rerun-if-changed=build.rs");
    // Cargo.lock pins the versions of the price table and of the TypeScript declarations.
    println!("cargo:rerun-if-changed=Cargo.lock");
    for input in INPUTS {
        println!("cargo:rerun-if-changed=runtime-js/{input}");
    }

    let bundles = match published_bundles(&source) {
        Some(bundles) => bundles,
        None => make_bundles(&root, &output)?,
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
    for archive in ["locales.bin", "prices.bin", "declarations.bin", "library.bin", "view.bin"] {
        let path = bundles.join(archive);
        fs::copy(&path, output.join(archive)).map_err(describe("copy", &path))?;
    }
    let table = output.join("builtins.rs");
    fs::write(&table, generate_table(&builtins, &lengths)).map_err(describe("write", &table))
}

/// A published crate contains the bundles (`npm run bundle` before publishing), so that installing it needs no Node.
fn published_bundles(source: &Path) -> Option<PathBuf> {
    let is_published = source.with_file_name(".cargo_vcs_info.json").exists();
    let bundles = source.join("dist");
    (is_published && bundles.is_dir()).then_some(bundles)
}

fn make_bundles(root: &Path, output: &Path) -> Result<PathBuf, String> {
    let stage = output.join("runtime-js");
    copy_inputs(&root.join("runtime-js"), &stage)?;
    check_node()?;
    install_packages(&stage)?;
    let bundles = output.join("bundles");
    bundle(&stage, &bundles, root)?;
    Ok(bundles)
}

struct Builtin {
    name: String,
    aliases: Vec<String>,
    /// Minified modules are stored without line numbers.
    minified: bool,
    /// Loaded by most runs, so it is not packed.
    is_hot: bool,
}

fn describe<'a>(action: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> String + 'a {
    move |error| format!("cannot {action} {}: {error}", path.display())
}

/// Copies the inputs; folders are emptied first, so that removed files disappear.
fn copy_inputs(source: &Path, stage: &Path) -> Result<(), String> {
    for stale in ["src", "locales", "types", "view", "zod"].map(|folder| stage.join(folder)) {
        if stale.exists() {
            fs::remove_dir_all(&stale).map_err(describe("remove", &stale))?;
        }
    }
    fs::create_dir_all(stage).map_err(describe("create", stage))?;
    INPUTS.iter().try_for_each(|input| copy(&source.join(input), &stage.join(input)))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
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

fn check_node() -> Result<(), String> {
    const ADVICE: &str = "Building lmthing needs Node 20 or newer and npm on the PATH (running it needs neither).";
    let output = Command::new("node")
        .arg("--version")
        .output()
        .map_err(|error| format!("cannot run `node`: {error}\n{ADVICE}"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= 20 => Ok(()),
        _ => Err(format!("the `node` on the PATH is {version:?}\n{ADVICE}")),
    }
}

/// Runs `npm ci` unless the packages of this lock file are installed.
fn install_packages(stage: &Path) -> Result<(), String> {
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

/// Writes every builtin to `bundles/<index>.js`, and the archives next to them.
fn bundle(stage: &Path, bundles: &Path, root: &Path) -> Result<(), String> {
    run_in(stage, Command::new("node").arg("bundle.mjs").arg(bundles).arg(root))
}

fn run_in(directory: &Path, command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let output = command.current_dir(directory).output().map_err(|error| format!("cannot run {shown}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{shown} failed ({}):\n{}", output.status, text.trim()))
}

/// `builtins.json` is parsed by QuickJS, so that the build needs no other JSON parser.
fn read_builtins(source: &Path) -> Result<Vec<Builtin>, String> {
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

/// Imports stay names, which the loader resolves at run time.
fn compile(builtin: &Builtin, code: Vec<u8>) -> Result<Vec<u8>, String> {
    let big = env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big");
    let endianness = if big { WriteOptionsEndianness::Big } else { WriteOptionsEndianness::Little };
    let options =
        WriteOptions { endianness, strip_source: true, strip_debug: builtin.minified, ..WriteOptions::default() };
    let name = builtin.name.clone();
    with_context(|ctx| Module::declare(ctx, name, code)?.write(options))
        .map_err(|error| format!("cannot compile builtin {:?}: {error}", builtin.name))
}

fn with_context<T>(work: impl for<'js> FnOnce(Ctx<'js>) -> rquickjs::Result<T>) -> Result<T, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    runtime.set_loader(Unresolved, Unresolved);
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    context.with(|ctx| work(ctx.clone()).catch(&ctx).map_err(|error| error.to_string()))
}

/// Resolves every import to an empty module: QuickJS compiles a module only if its imports resolve, but stores just
/// their names.
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

/// `lengths` are those of the unpacked bytecode, or 0 where it is stored unpacked.
fn generate_table(builtins: &[Builtin], lengths: &[usize]) -> String {
    let mut table = format!("static BUILTINS: [Builtin; {}] = [\n", builtins.len());
    for (index, (Builtin { name, aliases, .. }, length)) in builtins.iter().zip(lengths).enumerate() {
        let bytes = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/bytecode/{index}.bin\"))");
        writeln!(table, "    Builtin::new({name:?}, &{aliases:?}, {bytes}, {length}),").expect("writing to a string");
    }
    table.push_str("];\n");
    table
}
