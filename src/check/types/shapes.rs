//! Declarations that exist for the check alone: what the exports of a prompt file have to look like. Must not know the file.

/// The module that declares them.
pub(super) const MODULE: &str = "lmthing:check";
/// A module of which everything is `any`.
pub(super) const ANY_MODULE: &str = "lmthing:any";
/// The module that the text of a file is.
pub(super) const TEXT_MODULE: &str = "lmthing:text";

/// The name of the file, below the folder of declarations.
pub(super) const FILE: &str = "check.d.ts";

/// The declarations.
///
/// The list of plugins is a tuple, so that every plugin keeps its own type; a plugin whose methods nobody knows makes any method
/// a method of the prompt.
pub(super) const TEXT: &str = r#"
declare module 'lmthing:any';
declare module 'lmthing:text' {
  const text: string;
  export default text;
}
declare module 'lmthing:check' {
  import type { Config as AnyConfig, InputValue, Plugin, Prompt } from 'lmthing';
  import type { MockItem } from 'lmthing/test';

  type IsAny<T> = 0 extends 1 & T ? true : false;
  export interface Config extends Omit<AnyConfig, 'plugins'> {
    plugins?: readonly [] | readonly Plugin[];
  }
  export type Mock = readonly MockItem[];
  export type InputOf<S> = IsAny<S> extends true ? any : InputValue<S>;

  type PluginsOf<C> = IsAny<C> extends true ? any : C extends { plugins?: infer P } ? P : undefined;
  type PluginOf<P> = IsAny<P> extends true ? any : P extends readonly (infer E)[] ? E : never;
  type Methods<E> = IsAny<E> extends true
    ? Record<string, any>
    : E extends unknown
      ? string extends keyof E
        ? Record<string, any>
        : { [Name in keyof E]: E[Name] extends (...given: any[]) => any ? OmitThisParameter<E[Name]> : E[Name] }
      : never;
  type All<U> = (U extends unknown ? (each: U) => void : never) extends (each: infer I) => void ? I : never;
  type MethodsOf<C> = [PluginOf<PluginsOf<C>>] extends [never] ? {} : All<Methods<PluginOf<PluginsOf<C>>>>;
  export type PromptOf<C> = Prompt & MethodsOf<C>;
}
"#;
