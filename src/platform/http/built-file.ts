import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { Request, Response } from 'express';
import { hasFile } from './input/entity-tags';

/** `dist`, seen from the compiled code or, in the tests, from the sources. */
const DIST = join(__dirname, __dirname.includes(`${sep}dist${sep}src${sep}`) ? '../../..' : '../../../dist');

/** The path of a file that `npm run build` creates in addition to the code. */
export const builtFile = (path: string) => join(DIST, path);

/** Whether it is there: `nest start` compiles the code alone. */
export const isBuilt = (path: string) => existsSync(builtFile(path));

/** The names of the files in a folder of the build, without the compressed ones; none if `page` has not been built. */
export const builtNames = (folder: string, page: string): string[] =>
  isBuilt(page) ? readdirSync(builtFile(folder)).filter((name) => !name.endsWith('.gz')) : [];

export const NOT_BUILT = 'This page has not been built. Run: npm run build';

/**
 * The headers of a page that runs only its own files, and sends its requests to the service alone. `forms` are the
 * places that its forms may lead to.
 */
export const pageHeaders = (forms: string, ...further: string[]) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
    ...further,
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** A file as it is sent. */
export interface SentFile {
  headers: Record<string, string>;
  plain: Content;
  /** Absent if the build has not compressed it. */
  gzip?: Content;
}

/** Each coding has an entity tag of its own, because a strong tag stands for the same bytes. */
interface Content {
  bytes: Buffer;
  etag: string;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/** A file of this name and these bytes. */
export const fileOf = (name: string, bytes: Buffer, headers: Record<string, string>): SentFile => ({
  headers: { 'Content-Type': TYPES[extname(name)] ?? 'text/plain; charset=utf-8', ...headers },
  plain: contentOf(bytes),
});

/** Reads a file, and what the build has compressed of it. */
export const readBuilt = (path: string, headers: Record<string, string>): SentFile => ({
  ...fileOf(path, readFileSync(builtFile(path)), headers),
  ...(isBuilt(`${path}.gz`) && { gzip: contentOf(readFileSync(builtFile(`${path}.gz`))) }),
});

const contentOf = (bytes: Buffer): Content => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
});

/** Answers a GET or HEAD with the file in a coding that the caller accepts, or with a 304 if the caller has it. */
export function sendFile(request: Request, response: Response, file: SentFile): void {
  const gzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? file.gzip : undefined;
  const { bytes, etag } = gzip ?? file.plain;
  response.vary('Accept-Encoding').set('ETag', etag);
  response.set('Cache-Control', file.headers['Cache-Control']);
  if (hasFile(request, etag)) return void response.status(304).end();
  response.set(file.headers);
  if (gzip) response.set('Content-Encoding', 'gzip');
  response.send(bytes);
}
