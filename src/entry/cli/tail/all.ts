import { once } from 'node:events';
import { reasonOf } from '../../../platform/database/errors';
import { Interruption } from '../interruption';
import type { Shell } from '../shell';
import { withService } from '../with-service';
import { Cursor } from './cursor';
import { Follower } from './follower';
import { Output, ReaderGone } from './output';
import { Rounds } from './rounds';

/** How long the end may take after a signal, whatever the database and the reader do. */
const END_WITHIN_MS = 8_000;

export interface TailAllOptions {
  follow?: boolean;
  cursorFile?: string;
}

/** Prints the events of all organizations, each at least once. */
export async function tailAll({ follow, cursorFile }: TailAllOptions, shell: Shell): Promise<void> {
  const say = (line: string) => void shell.stderr.write(`${line}\n`);
  const stop = new AbortController();
  const stopped = once(stop.signal, 'abort');
  const interruption = new Interruption(() => {
    stop.abort();
    setTimeout(() => process.exit(0), END_WITHIN_MS).unref();
  });
  try {
    const cursor = new Cursor(cursorFile, say);
    await withService(shell, async (app) => {
      const output = new Output(shell.stdout);
      const follower = new Follower(app, cursor, output, say);
      await follower.begin();
      cursor.store(); // an error at the start if it cannot be written
      const rounds = new Rounds(follower, cursor, output, say, stop.signal);
      // What waits for the reader or the database is left behind.
      await Promise.race([follow ? rounds.followAll() : rounds.printAll(), stopped]).catch(
        (error: unknown) => {
          if (!(error instanceof ReaderGone)) throw error;
          stop.abort();
        },
      );
      cursor.store();
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    say(reasonOf(error)); // what has not been stored is printed again
  } finally {
    interruption.end();
  }
  // At once, although some of the output may be left.
  if (stop.signal.aborted) shell.exitCode = 0;
}
