import { Command } from 'commander';
import { VERSION } from '../../platform/feature/version';
import { watchStandardOutput } from './output';

/** Adds its options, arguments, subcommands and action to a command. */
type Definition = (command: Command) => void;

/** The commands. Each is loaded when it is called, because Nest, TypeORM and pg take a second. */
const COMMANDS: [name: string, description: string, load: () => Promise<Definition>][] = [
  ['start', 'start the service', async () => startCommand],
  ['migrate', 'run pending migrations', async () => (await import('./database/migrate.js')).migrateCommand],
  [
    'distribute',
    'distribute the tables over the nodes of a Citus cluster',
    async () => (await import('./database/distribute.js')).distributeCommand,
  ],
  [
    'organizations',
    'create, list, rename and delete organizations',
    async () => (await import('./organizations.js')).organizationsCommand,
  ],
  [
    'tokens',
    'create, list, rotate and revoke API tokens',
    async () => (await import('./tokens.js')).tokensCommand,
  ],
  [
    'users',
    'import and export the users of an organization, and restore or purge deleted ones',
    async () => (await import('./users.js')).usersCommand,
  ],
  ['groups', 'list the groups of an organization', async () => (await import('./groups.js')).groupsCommand],
  [
    'seed',
    'create sample users for a demo or benchmark; they are the same every time',
    async () => (await import('./seed.js')).seedCommand,
  ],
  ['events', 'watch the events of an organization', async () => (await import('./events.js')).eventsCommand],
  [
    'webhooks',
    'list the webhooks of an organization, and encrypt all secrets with a new key',
    async () => (await import('./webhooks.js')).webhooksCommand,
  ],
];

function startCommand(command: Command): void {
  command
    .option('--demo', 'add 500 sample users to an empty organization')
    .option('--json', 'print addresses and token as JSON')
    .addHelpText('after', '\nExample:\n  PORT=8080 ums start')
    .action(async (output: { demo?: boolean; json?: boolean }) => {
      const { start } = await import('../process/start.js');
      await start(process.env, output);
    });
}

/** Runs the command in the arguments of the process. */
export async function run([node, script, ...args] = process.argv): Promise<void> {
  watchStandardOutput();
  const program = new Command('ums')
    .description(
      'Command line of the User Management Service. It reads the same environment variables as the service.',
    )
    .version(VERSION)
    .addHelpText('after', '\nExample:\n  ums start --demo');

  for (const [name, description] of COMMANDS) program.command(name).description(description);
  program.hook('preSubcommand', async (_program, command) => {
    const [, , load] = COMMANDS.find(([name]) => name === command.name())!;
    if (command.name() !== 'start') (await import('./log.js')).logToStandardError();
    (await load())(command);
  });
  // `ums help users` would show a command that is not loaded; `ums users --help` loads it.
  const [first, ...others] = args;
  const asked = first === 'help' && others.length > 0 ? [...others, '--help'] : args;
  try {
    await program.parseAsync([node, script, ...asked]);
  } catch (error) {
    (await import('../process/failure.js')).exitWith(error);
  }
}
