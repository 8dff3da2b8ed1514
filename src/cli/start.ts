import type { Command } from 'commander';
import { start } from '../process/start';

export function startCommand(command: Command): void {
  command
    .option('--demo', 'add 500 sample users to an empty organization')
    .option('--json', 'print addresses and token as JSON')
    .addHelpText('after', '\nExample:\n  PORT=8080 ums start')
    .action((output: { demo?: boolean; json?: boolean }) => start(process.env, output));
}
