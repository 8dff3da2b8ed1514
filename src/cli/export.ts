import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { formatRows } from '../../csv/write-csv';
import type { Database } from '../database/database';
import { query, sql } from '../database/sql';
import { USER_COLUMNS } from '../users/user/user.columns';
import { User, USER_FIELDS } from '../users/user/user.entity';
import { serializeUser } from '../users/user/user.serializer';
import type { UserView } from '../users/user/user.view';
import type { Format } from './format';

const PAGE_SIZE = 1_000;

/** Yields all users of an organization in pages, oldest first. */
export async function* userPages(database: Database, organizationId: string): AsyncGenerator<UserView[]> {
  let lastId = '';
  for (;;) {
    const statement = sql`
      SELECT ${USER_COLUMNS} FROM ${User}
      WHERE organization_id = ${organizationId} AND id > ${lastId} ORDER BY id LIMIT ${PAGE_SIZE}`;
    const users = await database.read(organizationId, (manager) => query<User>(manager, statement));
    if (users.length > 0) yield users.map(serializeUser);
    if (users.length < PAGE_SIZE) return;
    lastId = users[users.length - 1].id;
  }
}

/** Writes pages of users and yields the number of users in each. */
export async function* exportUsers(
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
