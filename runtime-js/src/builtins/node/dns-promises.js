import { promises } from 'node:dns';

export const { getDefaultResultOrder, getServers, lookup, lookupService, resolve, resolve4, resolve6, resolveAny, resolveCname, resolveMx, resolveNs, resolvePtr, Resolver, resolveSoa, resolveSrv, resolveTxt, reverse, setDefaultResultOrder, setServers } = promises;
export default promises;
