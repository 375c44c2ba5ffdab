//! Declarations that exist in the type check alone.

use std::path::Path;

/// Types that lmthing does not declare for authors.
pub(super) const MODULE: &str = "lmthing:check";
/// A module whose exports are all `any`.
pub(super) const ANY_MODULE: &str = "lmthing:any";
/// A module that is the text of a file.
pub(super) const TEXT_MODULE: &str = "lmthing:text";

pub(super) const FILE: &str = "check.d.ts";

const TEXT: &str = "
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
  type KeysOf<T> = T extends unknown ? keyof T : never;
  export type ColumnsOf<Rows extends readonly unknown[]> = { [K in KeysOf<Rows[number]>]: any };
}
";

/// Declarations for JavaScript.
pub(super) const JAVASCRIPT_FILE: &str = "javascript.d.ts";

/// What `list[i]` gives, an item without `undefined`, is given by the methods that read an item by its place or key as
/// well. JavaScript has no `!` for an author who knows that the item is there.
const JAVASCRIPT: &str = "
interface Array<T> { at(index: number): T; pop(): T; shift(): T }
interface ReadonlyArray<T> { at(index: number): T }
interface String { at(index: number): string }
interface Map<K, V> { get(key: K): V }
interface ReadonlyMap<K, V> { get(key: K): V }
interface WeakMap<K extends WeakKey, V> { get(key: K): V }
";

/// The text of the file of this name.
pub(super) fn text(file: &Path) -> Option<&'static str> {
    [(FILE, TEXT), (JAVASCRIPT_FILE, JAVASCRIPT)]
        .into_iter()
        .find(|(name, _)| file == Path::new(name))
        .map(|(_, text)| text)
}
