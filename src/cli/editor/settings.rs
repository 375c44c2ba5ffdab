//! TypeScript settings for prompt files, equivalent to those of `lmthing check`.

/// A `jsconfig.json` for prompt files. Strict, except for types that JavaScript cannot express: those of parameters,
/// caught values and `this`. `typeRoots` prefers the project's declarations of Node to ours.
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

/// The settings that a project with its own settings has to add.
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
