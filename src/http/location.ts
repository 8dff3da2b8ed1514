import type { Request } from 'express';

/** The path of what was made by a POST to this one: whatever stands before our routes is in the path that was asked. */
export function below({ originalUrl }: Request, id: string): string {
  return `${new URL(originalUrl, 'http://localhost').pathname}/${id}`;
}
