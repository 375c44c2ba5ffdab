// `node:trace_events`: importable, but nothing is traced.
import { refused } from '../shared/refused-module.js';

export const getEnabledCategories = () => undefined;
export const { createTracing } = refused('trace_events', ['createTracing']);
export default { createTracing, getEnabledCategories };
