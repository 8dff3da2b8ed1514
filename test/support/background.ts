import type { INestApplicationContext } from '@nestjs/common';
import { Background } from '../../src/platform/background/background';

/** Runs a job of the background now, whether or not the service does background work. */
export async function runJob(
  app: INestApplicationContext,
  name: string,
  signal = new AbortController().signal,
): Promise<void> {
  const job = app.get(Background, { strict: false }).jobs.find((one) => one.name === name);
  if (!job) throw new Error(`There is no job "${name}".`);
  await job.run(signal);
}
