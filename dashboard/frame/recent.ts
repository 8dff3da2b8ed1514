import type { Session } from '../session/session.ts';
import type { Command } from './commands.ts';

const MAX_RECENT = 5;

/** The commands that a person ran in this session, the last one first. They go with the session. */
const recent = new WeakMap<Session['client'], Command[]>();

/** Notes that a command was run. */
export function remember({ client }: Session, command: Command): void {
  const others = (recent.get(client) ?? []).filter(({ key }) => key !== command.key);
  recent.set(client, [command, ...others].slice(0, MAX_RECENT));
}

/** The commands with those first that were run last; `isAll`: also those that are not among them. */
export function recentlyUsed({ client }: Session, commands: Command[], isAll: boolean): Command[] {
  const used = recent.get(client) ?? [];
  const keys = new Set(commands.map(({ key }) => key));
  const first = used.filter(({ key }) => isAll || keys.has(key));
  const firstKeys = new Set(first.map(({ key }) => key));
  return [...first, ...commands.filter(({ key }) => !firstKeys.has(key))];
}
