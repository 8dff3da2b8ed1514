#!/usr/bin/env node
import { Command } from 'commander';
import { info } from '../openapi.json';
import { addMigrate } from './cli/migrate';
import { addOrganizations } from './cli/organizations';
import { fail } from './cli/output';
import { addTokens } from './cli/tokens';
import { start } from './main';

const program = new Command('ums')
  .description(
    'The command line of the User Management Service. Settings come from the environment, as for the service.',
  )
  .version(info.version);

program
  .command('start')
  .description('start the service')
  .option('--json', 'print how to get in as JSON')
  .addHelpText('after', '\nExample:\n  PORT=8080 ums start')
  .action((output: { json?: boolean }) => start(process.env, output));
addMigrate(program);
addOrganizations(program);
addTokens(program);

program.parseAsync().catch(fail);
