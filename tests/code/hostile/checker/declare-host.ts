// about: declare what does not exist
// expect: contained

declare const process: { env: Record<string, string> };
try { return 'BRE' + 'ACH' + Object.keys(process.env).join(); } catch { return 'nothing'; }
