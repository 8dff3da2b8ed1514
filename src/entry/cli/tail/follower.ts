import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { chunksOf } from '../../../platform/database/sql';
import { oldestUnnumbered } from '../../../events/event-statistics';
import type { EventRow } from '../../../events/event/event.entity';
import { eventAsLine } from '../../../events/event/event.serializer';
import { EventHeads, type Head } from '../../../events/log/event-heads';
import { EventNumbering } from '../../../events/log/event-numbering';
import { eventsOf, idsOf, type Stretch } from '../../../events/log/event-stretches';
import type { Cursor } from './cursor';
import { type Position, WITHOUT_FILE } from './cursor-file';
import type { Output } from './output';

/** The largest have about 33 KB each. */
const EVENTS_PER_READ = 200;

const IDS_PER_READ = 1_000;

/** An organization whose events take longer to be numbered does not keep the others waiting. */
const NUMBER_FOR_MS = 1_000;

/** Prints the events of all organizations. The cursor stands after those that standard output has taken. */
export class Follower {
  printed = 0;
  private readonly database: Database;
  private readonly numbering: EventNumbering;
  private readonly heads: EventHeads;
  /** The last number of each organization that has events to print. The next turn is that of the first one. */
  private readonly waiting = new Map<string, number>();

  constructor(
    app: INestApplicationContext,
    private readonly cursor: Cursor,
    private readonly output: Output,
    private readonly say: (line: string) => void,
  ) {
    this.database = app.get(Database);
    this.numbering = app.get(EventNumbering);
    this.heads = new EventHeads(this.database);
  }

  /** How many events are to be printed, as far as is known. */
  get behind(): number {
    let events = 0;
    for (const [organizationId, last] of this.waiting)
      events += last - this.cursor.positionIn(organizationId).sequence;
    return events;
  }

  /** Looks for the first time. Throws if the positions are not those of this database. */
  async begin(): Promise<void> {
    const known = this.cursor.organizationIds;
    const { heads, deleted } = await this.heads.changed(known);
    if (known.length === 0)
      for (const { organizationId, removed } of heads)
        this.cursor.set(organizationId, { sequence: removed, id: '' });
    else if (deleted.length === known.length) throw unknownPositions();
    await this.requireSameEvents();
    this.note(heads, deleted);
  }

  /** Looks for new events. No statement is about an organization that has none. */
  async look(): Promise<void> {
    const turns = await this.numbering.beginAll();
    if (turns.length > 0) await Promise.race([Promise.all(turns), sleep(NUMBER_FOR_MS)]);
    const { heads, deleted } = await this.heads.changed(this.cursor.organizationIds);
    this.note(heads, deleted);
  }

  /** Numbers all events that have been committed so far. */
  async numberAll(): Promise<void> {
    const startedAt = performance.now();
    do await this.numbering.catchUpAll();
    while ((await oldestUnnumbered(this.database)) * 1_000 > performance.now() - startedAt);
  }

  /** Prints some events. Returns whether there are more. */
  async printSome(): Promise<boolean> {
    const stretches = this.nextStretches();
    if (stretches.length === 0) return false;
    const rows = await eventsOf(this.database, stretches);
    const pages = new Map(stretches.map(({ organizationId }) => [organizationId, [] as EventRow[]]));
    for (const row of rows) pages.get(row.organizationId)!.push(row);
    let text = '';
    const reached = stretches.map((stretch) => {
      const events = this.newEvents(stretch, pages.get(stretch.organizationId)!);
      const organization = `{"organizationId":${JSON.stringify(stretch.organizationId)},`;
      for (const event of events) text += `${organization}${eventAsLine(event).slice(1)}`;
      this.printed += events.length;
      return { ...stretch, id: events.at(-1)?.sequence === String(stretch.to) ? events.at(-1)!.id : '' };
    });
    await this.output.write(text);
    for (const { organizationId, to, id } of reached) this.advance(organizationId, { sequence: to, id });
    return this.waiting.size > 0;
  }

  /** Each begins with the event at the position, to see whether it is still the same. */
  private nextStretches(): Stretch[] {
    const stretches: Stretch[] = [];
    let left = EVENTS_PER_READ;
    for (const [organizationId, last] of this.waiting) {
      const from = this.cursor.positionIn(organizationId).sequence;
      const to = Math.min(last, from + left);
      stretches.push({ organizationId, from, to });
      left -= to - from;
      if (left === 0) break;
    }
    return stretches;
  }

  /** The events after the position. Says which of them are no longer kept. */
  private newEvents({ organizationId, from, to }: Stretch, rows: EventRow[]): EventRow[] {
    const [first] = rows;
    const { id } = this.cursor.positionIn(organizationId);
    const isFirstKept = first !== undefined && Number(first.sequence) === from;
    if (isFirstKept && id !== '' && first.id !== id) throw unknownPositions(organizationId);
    const events = isFirstKept ? rows.slice(1) : rows;
    let expected = from + 1;
    for (const next of [...events.map(({ sequence }) => Number(sequence)), to + 1]) {
      if (next > expected)
        this.say(
          `The events ${expected} to ${next - 1} of ${organizationId} are missing here: they are no longer kept.`,
        );
      expected = next + 1;
    }
    return events;
  }

  /** Who has more to print gets its next turn after the others. */
  private advance(organizationId: string, position: Position): void {
    this.cursor.set(organizationId, position);
    const last = this.waiting.get(organizationId)!;
    this.waiting.delete(organizationId);
    if (position.sequence < last) this.waiting.set(organizationId, last);
  }

  private note(heads: readonly Head[], deleted: readonly string[]): void {
    for (const organizationId of deleted) {
      const { sequence } = this.cursor.positionIn(organizationId);
      this.say(
        `${organizationId} has been deleted. Whatever it had after its event ${sequence} is missing here.`,
      );
      this.cursor.delete(organizationId);
      this.waiting.delete(organizationId);
    }
    for (const { organizationId, sequence } of heads) {
      const position = this.cursor.positionIn(organizationId);
      if (position.sequence > sequence) throw unknownPositions(organizationId);
      if (position.sequence < sequence) this.waiting.set(organizationId, sequence);
    }
  }

  /** Throws if another event has the number of one that has been printed. */
  private async requireSameEvents(): Promise<void> {
    for (const part of chunksOf(this.cursor.organizationIds, IDS_PER_READ)) {
      const stretches = part.map((organizationId) => {
        const { sequence } = this.cursor.positionIn(organizationId);
        return { organizationId, from: sequence, to: sequence };
      });
      for (const { organizationId, id } of await idsOf(this.database, stretches)) {
        const known = this.cursor.positionIn(organizationId).id;
        if (known !== '' && known !== id) throw unknownPositions(organizationId);
      }
    }
  }
}

/** For a position in events that the database does not have. */
const unknownPositions = (organizationId?: string) =>
  new Error(
    `The cursor file is of another database, or of events that a restored backup does not have${
      organizationId ? `, in ${organizationId}` : ''
    }. ${WITHOUT_FILE}`,
  );
