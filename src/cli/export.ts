import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { formatRows } from '../../csv/write-csv';
import type { Database } from '../database/database';
import { pagesOf } from '../pages/paginate';
import { type User, USER_COLUMNS, USER_FIELDS } from '../users/user/user.entity';
import type { UserFilter } from '../users/user/user.filter';
import { pageOfUsers } from '../users/user/user-query';
import { serializeUser } from '../users/user/user.serializer';
import type { UserView } from '../users/user/user.view';
import type { Format } from './import/format';

const PAGE_SIZE = 1_000;

/** Yields the users of an organization who pass the filter in pages, oldest first. */
export async function* userPages(
  database: Database,
  organizationId: string,
  filter: UserFilter,
): AsyncGenerator<UserView[]> {
  const pages = pagesOf((cursor) => {
    const page = { sort: 'createdAt', order: 'asc', limit: PAGE_SIZE, cursor } as const;
    return database.read(organizationId, (manager) =>
      pageOfUsers<User>(manager, { organizationId, filter }, USER_COLUMNS.select, page),
    );
  });
  for await (const page of pages) yield page.map(serializeUser);
}

/** Writes pages of users and yields the number of users in each. */
export async function* writeExport(
  pages: AsyncIterable<UserView[]>,
  { format, delimiter }: { format: Format; delimiter: string },
  to: Writable,
): AsyncGenerator<number> {
  const csv = (rows: string[][]) => formatRows(rows, delimiter);
  if (format === 'csv') await write(to, csv([[...USER_FIELDS]]));
  for await (const page of pages) {
    await write(to, format === 'csv' ? csv(page.map(cellsOf)) : ndjson(page));
    yield page.length;
  }
}

const ndjson = (page: UserView[]) => page.map((user) => `${JSON.stringify(user)}\n`).join('');

const cellsOf = (user: UserView) => USER_FIELDS.map((name) => cell(user[name]));

const cell = (value: unknown): string => {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const write = (to: Writable, text: string) =>
  new Promise<void>((resolve, reject) => {
    to.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** Creates a file that appears only when it is complete. Devices and pipes are written to directly. */
export async function writeAtomically(path: string, fill: (to: Writable) => Promise<void>): Promise<void> {
  const isSpecial = existsSync(path) && !statSync(path).isFile();
  const target = isSpecial ? path : `${path}.part`;
  const stream = createWriteStream(target, { mode: 0o600, flush: !isSpecial });
  const closed = finished(stream);
  closed.catch(() => {}); // the same error reaches `fill`
  try {
    await once(stream, 'open'); // throws if the file cannot be opened
    await fill(stream);
    stream.end();
    await closed;
  } catch (error) {
    stream.destroy();
    if (!isSpecial) rmSync(target, { force: true });
    throw error;
  }
  if (!isSpecial) renameSync(target, path);
}
