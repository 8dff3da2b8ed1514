import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { NextFunction, Request, Response } from 'express';
import { holderOf } from '../caller';

/**
 * A caller may read nothing of a finished response for this long. Node waits as long again if the system has accepted a
 * part of it. Node restores its own timeouts when the response is sent, and when the next request begins.
 */
const UNREAD_MS = 15_000;

/** A sixth of the memory that a replica may take. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/**
 * Limits how long, and how many bytes, responses wait for callers to read them. Beyond the limit, the organization that
 * holds the most loses the connection that has waited longest: slow readers must not keep others out.
 */
export function limitUnsentBytes() {
  /** The connections with a response to send, oldest first, and the organizations that they belong to. */
  const sending = new Map<Socket, string | undefined>();

  const enforce = () => {
    for (;;) {
      let total = 0;
      const held = new Map<string | undefined, number>();
      for (const [{ writableLength }, organizationId] of sending) {
        total += writableLength;
        held.set(organizationId, (held.get(organizationId) ?? 0) + writableLength);
      }
      if (total <= MAX_UNSENT_BYTES) return;
      const [[greediest]] = [...held].sort(([, a], [, b]) => b - a);
      const [oldest] = [...sending].find(([, organizationId]) => organizationId === greediest)!;
      sending.delete(oldest);
      oldest.destroy();
    }
  };

  return (request: Request, response: Response, next: NextFunction) => {
    const { socket } = request;
    const watch = () => {
      sending.set(socket, holderOf(request));
      socket.setTimeout(UNREAD_MS);
      enforce();
    };
    // Node emits `pipe` when a response is streamed, `prefinish` when the response is complete, and `close` when the
    // caller has received all of it.
    response.once('pipe', (source: Readable) => {
      watch();
      source.on('data', enforce);
    });
    response.once('prefinish', watch);
    response.once('close', () => sending.delete(socket));
    next();
  };
}
