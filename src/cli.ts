#!/usr/bin/env node
import './process/node-version';
import './process/signals';
import { Command } from 'commander';
import { info } from '../openapi.json';
import { addDistribute } from './cli/distribute';
import { addEvents } from './cli/events';
import { addMigrate } from './cli/migrate';
import { addOrganizations } from './cli/organizations';
import { watchStandardOutput } from './cli/output';
import { addSeed } from './cli/seed';
import { addTokens } from './cli/tokens';
import { addUsers } from './cli/users';
import { fail } from './process/failure';
import { start } from './process/start';

watchStandardOutput();

const program = new Command('ums')
  .description(
    'Command line of the User Management Service. It reads the same environment variables as the service.',
  )
  .version(info.version)
  .addHelpText('after', '\nExample:\n  ums start --demo');

program
  .command('start')
  .description('start the service')
  .option('--demo', 'add 500 sample users to an empty organization')
  .option('--json', 'print addresses and token as JSON')
  .addHelpText('after', '\nExample:\n  PORT=8080 ums start')
  .action((output: { demo?: boolean; json?: boolean }) => start(process.env, output));
addMigrate(program);
addDistribute(program);
addOrganizations(program);
addTokens(program);
addUsers(program);
addSeed(program);
addEvents(program);

program.parseAsync().catch(fail);
