#!/usr/bin/env node
import './entry/process/node-version';
import './entry/process/signals';
import { runAsProcess } from './entry/cli/process';

void runAsProcess(process.argv.slice(2));
