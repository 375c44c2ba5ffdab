export function dateRange() { throw new Error('todo'); }
