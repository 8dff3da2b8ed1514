import { Logger, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { describeError } from '../database/errors';
import { requestIdOf } from '../http/request-id';

/** A file that is sent while it is created: the next text is requested when the caller has the previous one. */
export interface Download {
  name: string;
  type: string;
  texts: AsyncIterable<string>;
}

/** Sends a file. If creating it fails, the connection breaks, so that nobody takes the part for the whole. */
export function download(request: Request, { name, type, texts }: Download): StreamableFile {
  const disposition = `attachment; filename="${name}"`;
  return new StreamableFile(Readable.from(texts), { type, disposition }).setErrorHandler(
    (error, response) => {
      new Logger('Error').error({ requestId: requestIdOf(request), error: describeError(error) });
      (response as unknown as Response).destroy();
    },
  );
}
