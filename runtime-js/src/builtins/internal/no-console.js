// For npm packages that would write warnings to the console where Node emits them.
export const console = undefined;
