import { Command, CommanderError, type ParseOptionsResult } from 'commander';
import { VERSION } from '../../platform/feature/version';
import type { Shell } from './shell';

/** Adds its options, arguments, subcommands and action to a command. */
type Definition = (command: Command, shell: Shell) => void;

/** The commands. Each is loaded when it is called, because Nest, TypeORM and pg take a second. */
const COMMANDS: [name: string, description: string, load: () => Promise<Definition>][] = [
  ['start', 'start the service', async () => startCommand],
  ['migrate', 'run pending migrations', async () => (await import('./database/migrate.ts')).migrateCommand],
  [
    'distribute',
    'distribute the tables over the nodes of a Citus cluster',
    async () => (await import('./database/distribute.ts')).distributeCommand,
  ],
  [
    'organizations',
    'create, list, rename and delete organizations',
    async () => (await import('./organizations.ts')).organizationsCommand,
  ],
  [
    'tokens',
    'create, list, rotate and revoke API tokens',
    async () => (await import('./tokens.ts')).tokensCommand,
  ],
  [
    'users',
    'import and export the users of an organization, and restore or purge deleted ones',
    async () => (await import('./users.ts')).usersCommand,
  ],
  ['groups', 'list the groups of an organization', async () => (await import('./groups.ts')).groupsCommand],
  [
    'seed',
    'create sample users for a demo or benchmark; they are the same every time',
    async () => (await import('./seed.ts')).seedCommand,
  ],
  [
    'events',
    'watch the events of an organization',
    async () => (await import('./tail/command.ts')).eventsCommand,
  ],
  [
    'webhooks',
    'list the webhooks of an organization, and encrypt all secrets with a new key',
    async () => (await import('./webhooks.ts')).webhooksCommand,
  ],
];

function startCommand(command: Command, { env }: Shell): void {
  command
    .option('--demo', 'add 500 sample users to an empty organization')
    .option('--json', 'print addresses and token as JSON')
    .addHelpText('after', '\nExample:\n  PORT=8080 ums start')
    .action(async (output: { demo?: boolean; json?: boolean }) => {
      const { start } = await import('../process/start.ts');
      await start(env, output);
    });
}

/** A command that names an unknown option before one that is missing: often the first is the second, misspelled. */
class UmsCommand extends Command {
  override createCommand(name?: string): UmsCommand {
    return new UmsCommand(name);
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(args);
    const asksForHelp = parsed.unknown.some((arg) => arg === '--help' || arg === '-h');
    if (this.commands.length === 0 && parsed.unknown.length > 0 && !asksForHelp)
      (this as unknown as { unknownOption(flag: string): never }).unknownOption(parsed.unknown[0]);
    return parsed;
  }
}

/** The option or argument of a command that has become this field of its input, or an element of it. */
const optionNames = (command: Command) => (field: string) => {
  const [name, place] = field.split('.');
  const option = command.options.find((each) => each.attributeName() === name)?.long;
  const argument = command.registeredArguments.find((each) => each.name() === name);
  const known = option ?? (argument && `<${name}>`);
  if (known === undefined) return field;
  return place === undefined ? known : `${known}, value ${Number(place) + 1}:`;
};

/**
 * Runs the command in the arguments, and returns its exit code. `prepare` runs before it, unless it is `start`, which
 * takes over its process, and goes on after it has returned.
 */
export async function run(
  args: string[],
  shell: Shell,
  prepare: (command: string) => Promise<void> = async () => {},
): Promise<number> {
  const { stdout, stderr } = shell;
  const program = new UmsCommand('ums')
    .description(
      'Command line of the User Management Service. It reads the same environment variables as the service.',
    )
    .version(VERSION)
    .addHelpText('after', '\nExample:\n  ums start --demo')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns!,
      getErrHelpWidth: () => stderr.columns!,
    });

  for (const [name, description] of COMMANDS) program.command(name).description(description);
  program.hook('preSubcommand', async (_program, command) => {
    const [, , load] = COMMANDS.find(([name]) => name === command.name())!;
    if (command.name() !== 'start') await prepare(command.name());
    (await load())(command, shell);
  });
  let running: Command = program;
  program.hook('preAction', (_program, command) => void (running = command));
  // `ums help users` would show a command that is not loaded; `ums users --help` loads it.
  const [first, ...others] = args;
  const asked = first === 'help' && others.length > 0 ? [...others, '--help'] : args;
  try {
    await program.parseAsync(asked, { from: 'user' });
    return shell.exitCode ?? 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // it has been printed, or it is help
    const { messageOf } = await import('../process/failure.ts');
    stderr.write(`${messageOf(error, optionNames(running))}\n`);
    return shell.exitCode ?? 1;
  }
}
