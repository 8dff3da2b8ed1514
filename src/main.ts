import './process/node-version';
import './process/signals';
import { fail } from './process/failure';
import { start } from './process/start';

start(process.env).catch(fail);
