//! Modules that exist in the type check alone.

/// Types that lmthing does not declare for authors.
pub(super) const MODULE: &str = "lmthing:check";
/// A module whose exports are all `any`.
pub(super) const ANY_MODULE: &str = "lmthing:any";
/// A module that is the text of a file.
pub(super) const TEXT_MODULE: &str = "lmthing:text";

pub(super) const FILE: &str = "check.d.ts";

pub(super) const TEXT: &str = "
declare module 'lmthing:any';
declare module 'lmthing:text' {
  const text: string;
  export default text;
}
declare module 'lmthing:check' {
  import type { Config as Settings, InputValue } from 'lmthing';
  import type { MockItem } from 'lmthing/test';
  export type Mock = readonly MockItem[];
  export type Config<T> = { [K in keyof Settings as K extends keyof T ? never : K]: Settings[K] } & {
    [K in keyof T]: K extends 'plugins' ? T[K] : K extends keyof Settings ? NonNullable<Settings[K]> : T[K];
  };
  export type Changed = <T>(config: T) => Config<T>;
  export type Listed = (items: any) => MockItem[];
  export type InputOf<S> = 0 extends 1 & S ? any : InputValue<S>;
}
";
