#!/usr/bin/env node
import './process/node-version';
import './process/signals';
import { run } from './commands';

void run();
