#!/usr/bin/env node
import './process/node-version';
import './process/signals';
import { run } from './cli/commands';

void run();
