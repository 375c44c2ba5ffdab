// `node:v8`: another engine runs here. What packages import in passing is there to be imported.
import { notOffered } from '../shared/errors.js';

export const serialize = notOffered('v8.serialize', 'use JSON, or structuredClone for a copy');
export const deserialize = notOffered('v8.deserialize', 'use JSON, or structuredClone for a copy');
export const Serializer = notOffered('v8.Serializer');
export const Deserializer = notOffered('v8.Deserializer');
export const DefaultSerializer = notOffered('v8.DefaultSerializer');
export const DefaultDeserializer = notOffered('v8.DefaultDeserializer');
export const getHeapSnapshot = notOffered('v8.getHeapSnapshot');
export const writeHeapSnapshot = notOffered('v8.writeHeapSnapshot');
export const setFlagsFromString = notOffered('v8.setFlagsFromString', 'the engine has no flags');

/** Only the memory of the whole program is known. */
export function getHeapStatistics() {
  const { rss } = process.memoryUsage();
  return { total_heap_size: rss, total_physical_size: rss, used_heap_size: rss, heap_size_limit: process.availableMemory(), external_memory: 0 };
}
export const getHeapSpaceStatistics = () => [];
export const cachedDataVersionTag = () => 0;

export default {
  cachedDataVersionTag, DefaultDeserializer, DefaultSerializer, deserialize, Deserializer, getHeapSnapshot, getHeapSpaceStatistics,
  getHeapStatistics, serialize, Serializer, setFlagsFromString, writeHeapSnapshot,
};
