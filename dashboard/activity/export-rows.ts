import type { Event } from '../../client/index.ts';
import { formatRows } from '../../csv/write-csv.ts';
import { changesOf } from './changes.ts';
import { targetNameOf } from './sentence.ts';

/** The formats of an export, with the text before the entries and the text of an entry. */
export const FORMATS = {
  csv: { type: 'text/csv', head: formatRows([columns()], ','), lineOf: csvLineOf },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    lineOf: (event: Event) => `${JSON.stringify(event)}\n`,
  },
};

export type Format = keyof typeof FORMATS;

function columns() {
  return ['time', 'actor', 'onBehalfOf', 'action', 'targetId', 'targetName', 'requestId', 'changes'];
}

function csvLineOf(event: Event): string {
  const { occurredAt, actor, onBehalfOf, type, target, requestId } = event;
  const changes = Object.fromEntries(
    changesOf(event).map(({ field, before, after }) => [field, { before, after }]),
  );
  const name = targetNameOf(event);
  return formatRows(
    [
      [
        occurredAt,
        actor.name,
        onBehalfOf ?? '',
        type,
        target.id,
        name === target.id ? '' : name,
        requestId ?? '',
        JSON.stringify(changes),
      ],
    ],
    ',',
  );
}
