// `node:cluster`: a primary process without workers.
import EventEmitter from 'node:events';
import { notOffered } from '../shared/errors.js';

const instead = 'start child processes with node:child_process';
const cluster = Object.assign(new EventEmitter(), {
  isMaster: true,
  isPrimary: true,
  isWorker: false,
  settings: {},
  workers: {},
  SCHED_NONE: 1,
  SCHED_RR: 2,
  schedulingPolicy: 2,
  disconnect: (callback) => void (callback && process.nextTick(callback)),
  fork: notOffered('cluster.fork', instead),
  setupMaster: notOffered('cluster.setupMaster', instead),
  setupPrimary: notOffered('cluster.setupPrimary', instead),
  Worker: notOffered('cluster.Worker', instead),
});

export const { disconnect, fork, isMaster, isPrimary, isWorker, SCHED_NONE, SCHED_RR, schedulingPolicy, settings, setupMaster, setupPrimary, Worker, workers } = cluster;
export default cluster;
