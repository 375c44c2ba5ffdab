// `node:v8`: serialization and heap statistics. The engine is QuickJS; features of V8 alone are not supported.
import { brand } from '../shared/brand.js';
import { refused } from '../shared/refused-module.js';
import { Reader } from '../v8/reader.js';
import { Writer } from '../v8/writer.js';

const missing = refused('v8', ['getHeapSnapshot', 'writeHeapSnapshot', 'GCProfiler', 'startupSnapshot', 'queryObjects']);

/** QuickJS has a single number, reported for all of V8's. */
export function getHeapStatistics() {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  return {
    total_heap_size: heapTotal, total_heap_size_executable: 0, total_physical_size: heapTotal, total_available_size: 4345298944, used_heap_size: heapUsed,
    heap_size_limit: 4345298944, malloced_memory: heapUsed, peak_malloced_memory: heapUsed, does_zap_garbage: 0, number_of_native_contexts: 1,
    number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: external,
  };
}
export const getHeapSpaceStatistics = () => [];
export const getHeapCodeStatistics = () => ({ code_and_metadata_size: 0, bytecode_and_metadata_size: 0, external_script_source_size: 0, cpu_profiler_metadata_size: 0 });
export const cachedDataVersionTag = () => 0;
/** There are no flags to set. */
export const setFlagsFromString = () => {};
export const takeCoverage = () => {};
export const stopCoverage = () => {};
export const { getHeapSnapshot, writeHeapSnapshot, GCProfiler, startupSnapshot, queryObjects } = missing;

export class Serializer extends Writer {}
export class DefaultSerializer extends Serializer {}
export class Deserializer extends Reader {}
export class DefaultDeserializer extends Deserializer {}
for (const [name, Class] of Object.entries({ Serializer, DefaultSerializer, Deserializer, DefaultDeserializer })) brand(Class, name, false);

/** In V8's format. */
export function serialize(value) {
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

export function deserialize(bytes) {
  const deserializer = new DefaultDeserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

export default { ...missing, DefaultDeserializer, DefaultSerializer, deserialize, Deserializer, serialize, Serializer, cachedDataVersionTag, getHeapCodeStatistics, getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString, stopCoverage, takeCoverage };
