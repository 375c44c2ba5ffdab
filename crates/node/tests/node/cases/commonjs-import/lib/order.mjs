globalThis.order.push('mjs'); export const order = globalThis.order;
