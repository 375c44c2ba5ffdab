export const named = 'from a module';
