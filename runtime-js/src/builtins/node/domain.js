// `node:domain`: importable, but not supported, as it is deprecated.
import { refused } from '../shared/refused-module.js';

const domain = refused('domain', ['create', 'createDomain', 'Domain']);
export const { create, createDomain, Domain } = domain;
export default domain;
