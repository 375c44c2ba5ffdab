// The page of a run: reads the events that stand in it and shows them.
import { render } from 'preact';
import { Clock } from './model/clock.js';
import { readRun } from './model/run.js';
import { App } from './parts/app.jsx';
import { restoreTheme } from './theme.js';

restoreTheme();
const { events, damaged, status } = JSON.parse(document.getElementById('events').textContent);
const run = { ...readRun(events), status };
const place = document.getElementById('page');
place.replaceChildren();
render(<App run={run} clock={new Clock(run)} damaged={damaged} />, place);
// What benches and tests read: from here on there is something to look at.
performance.mark('lmthing-rows');
