// The page of a run: reads the embedded events and renders them.
import { render } from 'preact';
import { Clock } from './model/clock.js';
import { readRun } from './model/run.js';
import { App } from './parts/app.jsx';
import { restoreTheme } from '../shared/theme.js';

restoreTheme();
const place = document.getElementById('page');
try {
  const { events, damaged, status } = JSON.parse(document.getElementById('data').textContent);
  const run = readRun(events, status);
  const clock = new Clock(run);
  place.replaceChildren();
  render(<App run={run} clock={clock} damaged={damaged} />, place);
} catch (error) {
  place.textContent = `The run cannot be shown: ${error.message}`;
  throw error;
}
// Read by benchmarks and tests: rows are visible from here on.
performance.mark('lmthing-rows');
