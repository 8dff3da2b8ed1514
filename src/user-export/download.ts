import { Logger, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { describeError } from '../platform/database/errors';
import { requestIdOf } from '../platform/http/request-id';

/** A file that is sent while it is created. */
export interface Download {
  name: string;
  type: string;
  nextText: NextText;
}

/**
 * Resolves to the next part of a text, which is called for when the caller has the one before, and to `undefined` at
 * the end. A generator would keep its last part in memory for as long as the caller takes.
 */
export type NextText = () => Promise<string | undefined>;

/** Sends a file. If creating it fails, the connection breaks, so that nobody takes the part for the whole. */
export function download(request: Request, { name, type, nextText }: Download): StreamableFile {
  const disposition = `attachment; filename="${name}"`;
  return new StreamableFile(streamOf(nextText), { type, disposition }).setErrorHandler((error, response) => {
    new Logger('Requests').error({ requestId: requestIdOf(request), error: describeError(error) });
    (response as unknown as Response).destroy();
  });
}

/** Reads nothing ahead. Of a stream of objects, Nest would buffer two. */
function streamOf(nextText: NextText): Readable {
  return new Readable({
    highWaterMark: 0,
    read() {
      nextText().then(
        (text) => this.push(text ?? null),
        (error: Error) => this.destroy(error),
      );
    },
  });
}
