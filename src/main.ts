import './entry/process/node-version';
import './entry/process/signals';
import { run } from './entry/cli/commands';

/** Starts the service: what `npm start`, `nest start` and the image run. `ums start` is the same command. */
const [node, file, ...options] = process.argv;
void run([node, file, 'start', ...options]);
