import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { DataSource } from 'typeorm';
import { formatRows } from '../../csv/write-csv';
import { tableName } from '../database/tables';
import { USER_COLUMNS } from '../users/user-columns';
import { USER_FIELD_LIST, type UserFields } from '../users/user.fields';
import { recordOf } from '../users/user.record';
import type { UserView } from '../users/user.view';
import type { Format } from './format';

const PAGE_SIZE = 1_000;

/** Yields all users of an organization in pages, oldest first. */
export async function* userPages(dataSource: DataSource, organizationId: string): AsyncGenerator<UserView[]> {
  let lastId = '';
  for (;;) {
    const users: UserFields[] = await dataSource.query(
      `SELECT ${USER_COLUMNS} FROM ${tableName(dataSource, 'users')}
       WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT ${PAGE_SIZE}`,
      [organizationId, lastId],
    );
    if (users.length > 0) yield users.map(recordOf);
    if (users.length < PAGE_SIZE) return;
    lastId = users[users.length - 1].id;
  }
}

/** Writes pages of users and yields the number of users in each. */
export async function* writeUsers(
  pages: AsyncIterable<UserView[]>,
  { format, delimiter }: { format: Format; delimiter: string },
  to: Writable,
): AsyncGenerator<number> {
  const csv = (rows: string[][]) => formatRows(rows, delimiter);
  if (format === 'csv') await write(to, csv([USER_FIELD_LIST.map(({ name }) => name)]));
  for await (const page of pages) {
    await write(to, format === 'csv' ? csv(page.map(cellsOf)) : ndjson(page));
    yield page.length;
  }
}

const ndjson = (page: UserView[]) => page.map((user) => `${JSON.stringify(user)}\n`).join('');

const cellsOf = (user: UserView) => USER_FIELD_LIST.map(({ name }) => cell(user[name]));

const cell = (value: unknown): string => {
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
