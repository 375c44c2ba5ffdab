import { PerformanceEntry, Performance, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, performance } from 'lmthing:internal/web/performance';
import { notOffered } from '../shared/errors.js';

const monitorEventLoopDelay = notOffered('perf_hooks.monitorEventLoopDelay');
const createHistogram = notOffered('perf_hooks.createHistogram');
const PerformanceResourceTiming = notOffered('perf_hooks.PerformanceResourceTiming');
const constants = Object.freeze({});

const exported = {
  constants, createHistogram, monitorEventLoopDelay, performance, Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure,
  PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming,
};
export {
  constants, createHistogram, monitorEventLoopDelay, performance, Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure,
  PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming, exported as default,
};
