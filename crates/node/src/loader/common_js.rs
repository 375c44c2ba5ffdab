//! CommonJS files: as modules for `import`, and the native half of `require`. The rest (`require`, its cache, cycles)
//! is JavaScript: `lmthing:internal/commonjs`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::module::{Declarations, Declared, Exports, ModuleDef};
use rquickjs::{CatchResultExt, Ctx, Function, JsLifetime, Module, Object, Result, Value};

use super::kind::{self, Kind};
use super::resolver::ModuleResolver;
use super::{meta, package, reading, regexp_statics, source, typescript};
use crate::builtin::{self, INTERNAL_PREFIX, import_builtin};
use crate::error::ScriptError;
use crate::gate;
use crate::host::host;
use crate::native_module::NativeModule;
use crate::user_data;
use lmthing_base::permission::Access;

/// The JavaScript half.
const HALF: &str = "lmthing:internal/commonjs";

/// Native functions of `require`: resolving, reading and compiling files.
pub(crate) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/commonjs", init: natives };

/// State of one engine.
#[derive(JsLifetime)]
struct CommonJsFiles {
    resolver: Rc<ModuleResolver>,
    /// The exports of each CommonJS file for `import`, by module name.
    facades: RefCell<HashMap<String, Facade>>,
}

#[derive(Clone)]
struct Facade {
    file: PathBuf,
    names: Rc<[String]>,
}

/// Called once while an engine is created.
pub(super) fn set_up(ctx: &Ctx<'_>, resolver: Rc<ModuleResolver>) -> Result<()> {
    user_data::store(ctx, CommonJsFiles { resolver, facades: RefCell::default() })
}

/// Declares the module that `import` of a CommonJS file returns: `default` is `module.exports`, and names that can be
/// found without running the file are exports as well. The file runs when the module is evaluated.
pub(super) fn declare<'js>(ctx: &Ctx<'js>, name: &str, file: &Path) -> Result<Module<'js, Declared>> {
    let half = import_builtin(ctx, HALF)?;
    let names: Vec<String> = half.get::<_, Function>("exportNames")?.call((file.display().to_string(),))?;
    let facade = Facade { file: file.to_owned(), names: names.into() };
    user_data::read::<CommonJsFiles>(ctx)?.facades.borrow_mut().insert(name.to_owned(), facade);
    Module::declare_def::<CommonJs, _>(ctx.clone(), name)
}

struct CommonJs;

impl CommonJs {
    fn facade(ctx: &Ctx<'_>, name: &str) -> Result<Option<Facade>> {
        Ok(user_data::read::<CommonJsFiles>(ctx)?.facades.borrow().get(name).cloned())
    }
}

impl ModuleDef for CommonJs {
    fn declare(declarations: &Declarations) -> Result<()> {
        let module = declarations.module();
        declarations.declare("default")?;
        let Some(facade) = Self::facade(module.ctx(), &module.name::<String>()?)? else { return Ok(()) };
        for name in facade.names.iter() {
            declarations.declare(name.as_str())?;
        }
        Ok(())
    }

    fn evaluate<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
        let Some(facade) = Self::facade(ctx, &exports.module().name::<String>()?)? else { return Ok(()) };
        let load: Function = import_builtin(ctx, HALF)?.get("loadForImport")?;
        let value: Value = load.call((facade.file.display().to_string(),))?;
        exports.export("default", value.clone())?;
        for name in facade.names.iter() {
            // A name found in the text that is never assigned is `undefined`, and so is one whose getter throws.
            let own = value.as_object().filter(|object| object.contains_key(name.as_str()).unwrap_or(false));
            let found = own.and_then(|object| object.get::<_, Value>(name.as_str()).catch(ctx).ok());
            exports.export(name.as_str(), found.unwrap_or_else(|| Value::new_undefined(ctx.clone())))?;
        }
        Ok(())
    }
}

fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let resolver = user_data::read::<CommonJsFiles>(ctx)?.resolver.clone();
    let exports = Object::new(ctx.clone())?;
    let finder = resolver.clone();
    // resolve(id, folder): the path of the file; throws MODULE_NOT_FOUND.
    let resolve = move |ctx: Ctx<'js>, id: String, folder: String| {
        let resolved = resolve_required(&finder, &id, Path::new(&folder));
        finder.tell_required(&*host(&ctx)?, Path::new(&folder), &id, resolved.is_ok());
        resolved.map_err(|failure| failure.throw(&ctx))
    };
    exports.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    // builtinName(id): the canonical name of a built-in module; undefined for any other.
    let names = resolver.clone();
    exports.set("builtinName", Function::new(ctx.clone(), move |id: String| names.known("", &id))?)?;
    let names: Vec<&str> = builtin::public_names().filter(|name| !name.starts_with("zod")).collect();
    exports.set("builtinNames", Function::new(ctx.clone(), move || names.clone())?)?;
    // readText(path): the text without its byte order mark.
    let read = |ctx: Ctx<'js>, path: String| {
        gate::check(&ctx, Access::Read(&path))?;
        host(&ctx)?.note_read(Path::new(&path));
        reading::read(&ctx, Path::new(&path)).map_err(|failure| failure.throw(&ctx))
    };
    exports.set("readText", Function::new(ctx.clone(), read)?)?;
    // kindOf(path): 'module', 'commonjs', 'json' or 'addon'.
    let (rights, parser) = (resolver.permissions.clone(), resolver.modules.parser().clone());
    let kind_of = move |ctx: Ctx<'js>, path: String| match kind::of(Path::new(&path), &rights, &*parser) {
        Ok(kind) => Ok(kind_name(kind)),
        Err(failure) => Err(failure.throw(&ctx)),
    };
    exports.set("kindOf", Function::new(ctx.clone(), kind_of)?)?;
    exports.set("addonMessage", Function::new(ctx.clone(), |path: String| source::addon_message(&path))?)?;
    exports.set("lookupFolders", Function::new(ctx.clone(), |folder: String| lookup_folders(Path::new(&folder)))?)?;
    let compiling = resolver.clone();
    // compile(path, text): the function (exports, require, module, __filename, __dirname).
    let compile = move |ctx: Ctx<'js>, path: String, text: String| compile(&ctx, &compiling, &path, &text);
    exports.set("compile", Function::new(ctx.clone(), compile)?)?;
    // namespaceOf(path): the exports of an ES module for `require`, which is synchronous.
    let of = move |ctx: Ctx<'js>, path: String| namespace(&ctx, &path);
    exports.set("namespaceOf", Function::new(ctx.clone(), of)?)?;
    Ok(exports)
}

fn resolve_required(resolver: &ModuleResolver, id: &str, folder: &Path) -> std::result::Result<String, ScriptError> {
    if let Some(name) = id.strip_prefix("node:") {
        return Err(resolver.not_offered(name, id).code(package::REQUIRE_NOT_FOUND));
    }
    if id.starts_with(['.', '/']) {
        resolver.may_read(&folder.join(id))?;
    }
    let path = resolver.packages.required(folder, id)?;
    resolver.may_read(&path)?;
    Ok(path.display().to_string())
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::EsModule => "module",
        Kind::CommonJs => "commonjs",
        Kind::Json => "json",
        Kind::Addon => "addon",
    }
}

/// The folders in which packages are searched from a folder, the nearest first.
fn lookup_folders(folder: &Path) -> Vec<String> {
    let folders = folder.ancestors().filter(|folder| folder.file_name().is_none_or(|name| name != "node_modules"));
    folders.map(|folder| folder.join("node_modules").display().to_string()).collect()
}

/// Compiles the content of a CommonJS file to a function. The code is moved down by as many empty lines as the file
/// has, so that its positions cannot be confused with those of the file, to which they are mapped.
fn compile<'js>(ctx: &Ctx<'js>, resolver: &ModuleResolver, path: &str, text: &str) -> Result<Function<'js>> {
    let name = resolver.modules.add(Path::new(path), "");
    resolver.modules.note_text(text);
    regexp_statics::load_if_read(ctx, text)?;
    let javascript = match path.ends_with(".cts") {
        true => typescript::erase(&**resolver.modules.parser(), &name, text).map_err(|failure| failure.throw(ctx))?,
        false => text.to_owned(),
    };
    // As in Node, a shebang line is not code.
    let javascript = javascript.strip_prefix("#!").map_or(javascript.clone(), |rest| format!("//{rest}"));
    let lines = javascript.split('\n').count();
    resolver.modules.add_moved(&name, u32::try_from(lines).unwrap_or(u32::MAX));
    typescript::show_source_positions(ctx, &resolver.modules)?;
    let open = "(function (exports, require, module, __filename, __dirname) {";
    let code = format!("{open}{}{javascript}\n}})", "\n".repeat(lines));
    let mut options = EvalOptions::default();
    // Sloppy mode unless the file sets strict mode, and not a module: `this` and `arguments` have their CommonJS
    // meaning.
    options.strict = false;
    options.filename = Some(path.to_owned());
    ctx.eval_with_options(code, options)
}

/// The namespace of an ES module, evaluated at once.
fn namespace<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Object<'js>> {
    let url = serde_json::Value::from(meta::file_url(Path::new(path)));
    let evaluate = |source: String| -> Result<Option<Object<'js>>> {
        let importer = format!("{INTERNAL_PREFIX}require {path}");
        let (module, evaluated) = Module::declare(ctx.clone(), importer, source)?.eval()?;
        match evaluated.result::<Value>() {
            Some(Ok(_)) => module.get("namespace").map(Some),
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    };
    let asynchronous = || {
        ScriptError::error(format!("require() cannot be used on '{path}': it awaits at its top level; use import()"))
            .code("ERR_REQUIRE_ASYNC_MODULE")
            .throw(ctx)
    };
    let plain =
        evaluate(format!("import * as namespace from {url}; export {{ namespace }};"))?.ok_or_else(asynchronous)?;
    if plain.contains_key("module.exports")? {
        return plain.get("module.exports");
    }
    if !plain.contains_key("default")? || plain.contains_key("__esModule")? {
        return Ok(plain);
    }
    // As in Node: programs compiled to CommonJS check this mark before they use `default`.
    let marked = format!("export * from {url}; export {{ default }} from {url}; export const __esModule = true;");
    let importer = format!("{INTERNAL_PREFIX}require default of {path}");
    let (module, _) = Module::declare(ctx.clone(), importer, marked)?.eval()?;
    module.namespace()
}
