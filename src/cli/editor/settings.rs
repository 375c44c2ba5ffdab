//! How TypeScript is to look at prompt files: the settings that `lmthing check` uses, in TypeScript's own words.

/// A `jsconfig.json` for a folder with prompt files. Strict, but for what JavaScript cannot say: types of parameters, of what
/// is caught and of `this`. Node's declarations are those of the project if it has some, otherwise ours.
pub(in crate::cli) const JSCONFIG: &str = r#"{
  "compilerOptions": {
    "checkJs": true,
    "strict": true,
    "noImplicitAny": false,
    "noImplicitThis": false,
    "useUnknownInCatchVariables": false,
    "target": "esnext",
    "lib": ["esnext"],
    "module": "preserve",
    "moduleResolution": "bundler",
    "resolveJsonModule": true,
    "allowImportingTsExtensions": true,
    "noEmit": true,
    "skipLibCheck": true,
    "typeRoots": ["./node_modules/@types", "./.lmthing/types"],
    "types": ["node"]
  },
  "typeAcquisition": { "enable": false },
  "include": ["lmthing.d.ts", "**/*.lmt.mjs", "**/*.lmt.js", "**/*.lmt.ts", "**/*.lmt.mts"]
}
"#;

/// What a project with settings of its own needs of them.
pub(in crate::cli) const ADVICE: &str = r#"
  "compilerOptions": {
    "allowJs": true, "checkJs": true, "strict": true, "noEmit": true, "skipLibCheck": true,
    "noImplicitAny": false, "noImplicitThis": false, "useUnknownInCatchVariables": false,
    "target": "esnext", "lib": ["esnext"], "module": "preserve", "moduleResolution": "bundler",
    "resolveJsonModule": true, "allowImportingTsExtensions": true,
    "typeRoots": ["./node_modules/@types", "./.lmthing/types"], "types": ["node"]
  },
  "include": ["lmthing.d.ts", "**/*.lmt.mjs", "**/*.lmt.js", "**/*.lmt.ts", "**/*.lmt.mts"]
"#;
