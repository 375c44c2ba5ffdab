// `node:domain`: in name only, as Node advises against it.
import { refused } from '../shared/refused-module.js';

const domain = refused('domain', ['create', 'createDomain', 'Domain']);
export const { create, createDomain, Domain } = domain;
export default domain;
