import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { builtFile } from '../http/built-file';

/** A file of the page, as it is sent. */
export interface PageFile {
  content: Buffer;
  headers: Record<string, string>;
}

/** Allows only the page's own files, and no text to be turned into markup or code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The files of the page by the path they are served at. They are few and small, so they are read once, and no request can
 * reach another file.
 */
export function readPage(): Map<string, PageFile> {
  const page = new Map([['/dashboard', fileOf('index.html', 'no-store')]]);
  for (const name of readdirSync(builtFile('dashboard/dashboard'))) {
    // The names contain a hash of the content.
    page.set(`/dashboard/${name}`, fileOf(join('dashboard', name), 'public, max-age=31536000, immutable'));
  }
  return page;
}

function fileOf(name: string, caching: string): PageFile {
  return {
    content: readFileSync(builtFile(join('dashboard', name))),
    headers: { ...HEADERS, 'Content-Type': TYPES[extname(name)], 'Cache-Control': caching },
  };
}
