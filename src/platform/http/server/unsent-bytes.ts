import type { Readable } from 'node:stream';
import type { NextFunction, Request, Response } from 'express';
import { EvictingBulkhead, type Held } from '../../fairness/evicting-bulkhead';
import { LIMITS } from '../../fairness/limits';
import { COMMON_SHARE } from '../../fairness/owners';
import { holderOf } from '../caller';

/**
 * A caller may read nothing of a finished response for this long. Node waits as long again if the system has accepted a
 * part of it. Node restores its own timeouts when the response is sent, and when the next request begins.
 */
const UNREAD_MS = 15_000;

/** Limits how long, and how many bytes, responses wait for callers to read them: slow readers keep nobody out. */
export function limitUnsentBytes() {
  const unsent = new EvictingBulkhead(LIMITS.unsentBytes);

  return (request: Request, response: Response, next: NextFunction) => {
    const { socket } = request;
    let held: Held | undefined;
    const watch = () => {
      socket.setTimeout(UNREAD_MS);
      if (held) return unsent.resized(held);
      const owner = holderOf(request) ?? COMMON_SHARE;
      held = { owner, size: () => socket.writableLength, evict: () => socket.destroy() };
      unsent.add(held);
    };
    // Node emits `pipe` when a response is streamed, `prefinish` when the response is complete, and `close` when the
    // caller has received all of it.
    response.once('pipe', (source: Readable) => {
      watch();
      source.on('data', () => unsent.resized(held!));
    });
    response.once('prefinish', watch);
    response.once('close', () => held && unsent.delete(held));
    next();
  };
}
