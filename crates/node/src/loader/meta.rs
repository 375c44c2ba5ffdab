//! `import.meta` of a file module, as in Node: `url`, `filename`, `dirname`, `resolve`.

use std::path::Path;
use std::rc::Rc;

use rquickjs::module::Declared;
use rquickjs::{Ctx, Function, Module, Result};
use url::Url;

use super::resolver::ModuleResolver;

/// Sets the properties for the module `name` of the file `path`.
pub(super) fn define<'js>(
    ctx: &Ctx<'js>,
    module: &Module<'js, Declared>,
    name: &str,
    path: &Path,
    resolver: &Rc<ModuleResolver>,
) -> Result<()> {
    let meta = module.meta()?;
    // A module name is its path and the query of its import.
    let query = name.strip_prefix(&*path.to_string_lossy()).unwrap_or_default();
    meta.set("dirname", path.parent().map(|parent| parent.display().to_string()))?;
    meta.set("filename", path.display().to_string())?;
    meta.set("resolve", resolve_function(ctx, name, resolver)?)?;
    meta.set("url", format!("{}{query}", file_url(path)))
}

/// `import.meta.resolve(specifier)`: the URL of the module that an import would load, or the name of a built-in one.
/// For packages it throws as the import would; a path need not exist. Rules: docs/reference/modules.md.
fn resolve_function<'js>(ctx: &Ctx<'js>, name: &str, resolver: &Rc<ModuleResolver>) -> Result<Function<'js>> {
    let (resolver, base) = (resolver.clone(), name.to_owned());
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, specifier: String| {
        let resolved = match resolver.resolve(&base, &specifier) {
            Ok(resolved) => resolved,
            Err(failure) => return resolver.address(&base, &specifier).ok_or_else(|| failure.throw(&ctx)),
        };
        let is_file = resolver.modules.is_file(&resolved);
        Ok::<_, rquickjs::Error>(if is_file { file_url(Path::new(&resolved)) } else { resolved })
    })?
    .with_name("resolve")
}

/// The `file:` URL of an absolute path.
pub(super) fn file_url(path: &Path) -> String {
    Url::from_file_path(path).map(String::from).unwrap_or_else(|()| format!("file://{}", path.display()))
}
