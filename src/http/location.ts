import type { Request } from 'express';

/** The path of a resource that this POST created. It extends the requested path, which includes every prefix. */
export function locationOf({ originalUrl }: Request, id: string): string {
  return `${new URL(originalUrl, 'http://localhost').pathname}/${id}`;
}
