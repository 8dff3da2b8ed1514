import './entry/process/node-version';
import './entry/process/signals';
import { runAsProcess } from './entry/cli/process';

/** Starts the service: what `npm start`, `nest start` and the image run. `ums start` is the same command. */
void runAsProcess(['start', ...process.argv.slice(2)]);
