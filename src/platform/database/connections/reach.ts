import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { reasonOf, sqlState } from '../errors';

/** A server that restarts, or starts with this process on a busy machine, accepts connections within this time. */
const WITHIN_MS = 30_000;
const PAUSE_MS = 1_000;

/** No answer, no server, one that is starting, or one without a free connection. Anything else is misconfigured. */
const TEMPORARY_CODES =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|57P01|57P03|53300)$/;
const UNREACHABLE = /timeout expired|due to connection timeout|when trying to connect/;

/** Connects to a server, which may not be there yet. If it cannot, the error names the variable of the server. */
export async function reach<Connected>(connect: () => Promise<Connected>): Promise<Connected> {
  const deadline = performance.now() + WITHIN_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (!isTemporary(error) || performance.now() > deadline)
        throw error instanceof Error ? Object.assign(error, { variable: 'DATABASE_URL' }) : error;
      if (attempt === 1) {
        const reason = sqlState(error) ?? reasonOf(error);
        const message = `The database cannot be reached yet (${reason}). Trying for ${WITHIN_MS / 1000} seconds.`;
        new Logger('Database').warn(message);
      }
    }
    await sleep(PAUSE_MS);
  }
}

const isTemporary = (error: unknown) =>
  TEMPORARY_CODES.test(sqlState(error) ?? '') || UNREACHABLE.test(reasonOf(error));
