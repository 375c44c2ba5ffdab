//! Disables modules in the sandbox.

use rquickjs::{
    Ctx, Error, Module,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
};

pub(super) struct NoModules;

impl Resolver for NoModules {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Err(Error::new_resolving_message(
            base,
            name,
            "modules cannot be imported here: call the functions you were given",
        ))
    }
}

impl Loader for NoModules {
    fn load<'js>(
        &mut self,
        _: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        Err(Error::new_loading_message(name, "modules cannot be imported here"))
    }
}
