#!/usr/bin/env node
import './entry/process/node-version';
import './entry/process/signals';
import { run } from './entry/cli/commands';

void run();
