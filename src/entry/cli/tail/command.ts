import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { databaseFailure } from '../../../platform/database/errors';
import { EventLog } from '../../../events/log/event-log';
import { eventAsLine, serializeEvent } from '../../../events/event/event.serializer';
import type { EventView } from '../../../events/event/event.view';
import { ListEventsDto } from '../../../events/event/event.dto';
import { validateOrThrow } from '../../../platform/http/input/validate';
import { printable } from '../../process/log/pretty-log';
import { Interruption } from '../interruption';
import type { Shell } from '../shell';
import { organizationOption, withOrganization } from '../with-service';
import { tailAll, type TailAllOptions } from './all';

const POLL_MS = 1_000;

interface TailOptions extends TailAllOptions {
  all?: boolean;
  organization?: string;
  type?: string;
  since?: string;
  json?: boolean;
}

export function eventsCommand(events: Command, shell: Shell): void {
  events.addHelpText('after', '\nExample:\n  ums events tail --organization org_…');

  const command = events.command('tail').description('print events as they happen, until Ctrl-C');
  organizationOption(command, 'the organization to watch')
    .option('--type <types>', 'only these types, separated by commas, such as user.created,user.deleted')
    .option('--since <time>', 'begin at this time, such as 2026-01-31T09:30:00Z; default: now')
    .option('--json', 'print one JSON object per line')
    .addOption(
      new Option(
        '--all',
        'all organizations, as JSON, from the oldest event that is kept to the newest',
      ).conflicts(['organization', 'type', 'since']),
    )
    .option('--follow', 'with --all: go on with the events that happen')
    .option('--cursor-file <path>', 'with --all: keep the position in this file, and begin at it')
    .addHelpText(
      'after',
      `
Examples:
  ums events tail --organization org_… --type user.deleted --json
  ums events tail --all --follow --cursor-file /var/lib/ums/cursor.json`,
    )
    .action((options: TailOptions) => (options.all ? tailAll(options, shell) : tail(options, shell)));
}

async function tail({ type, since, json, cursorFile, ...options }: TailOptions, shell: Shell): Promise<void> {
  if (cursorFile !== undefined) throw new Error('--cursor-file is for --all.');
  const { stdout, stderr } = shell;
  const say = (line: string) => stderr.write(`${line}\n`);
  const query = validateOrThrow(ListEventsDto, { type, since, limit: 200 });
  await withOrganization(shell, { ...options, command: 'ums events tail' }, async (app, by) => {
    const organization = by.organizationId;
    const stop = new AbortController();
    const interruption = new Interruption(() => stop.abort());
    const log = app.get(EventLog);
    const pause = () => sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
    let position = since === undefined ? await newest(log, organization) : undefined;
    let isOutage = false;
    // Standard output ends with its reader, as `| head` does.
    while (!stop.signal.aborted && stdout.writable) {
      const page = await log.page(organization, query, position ?? 0).catch(undefinedIfUnavailable);
      if (!page && !isOutage) say('The database is not available. Waiting for it …');
      isOutage = !page;
      if (page && position !== undefined && position < page.removed)
        say(`The events ${position + 1} to ${page.removed} are missing here: they are no longer kept.`);
      for (const row of page?.rows ?? [])
        stdout.write(json ? eventAsLine(row) : `${lineOf(serializeEvent(row))}\n`);
      position = page?.position ?? position;
      if (!page?.hasMore) await pause();
    }
    interruption.end();
  });
}

/** The position after everything that has happened so far. */
async function newest(log: EventLog, organizationId: string): Promise<number> {
  for (let position = 0; ;) {
    const { last, hasMore } = await log.page(organizationId, { order: 'asc', limit: 1 }, position);
    if (!hasMore) return last;
    position = last;
  }
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (databaseFailure(error) !== 'unavailable') throw error;
}

const lineOf = ({ occurredAt, sequence, type, target, actor, onBehalfOf }: EventView) => {
  const by = onBehalfOf === null ? actor.name : `${actor.name}, for ${onBehalfOf}`;
  return printable(`${occurredAt.toISOString()}  ${sequence}  ${type}  ${target.id}  by ${by}`);
};
