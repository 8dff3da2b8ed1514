import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { USER_COLUMNS } from '../users/user-columns';
import { USER_FIELD_LIST, type UserFields } from '../users/user.fields';
import { serializeUser } from '../users/user.serializer';
import type { UserView } from '../users/user.view';
import type { Format } from './format';
import { guarded } from './formulas';

const PAGE = 1_000;

/** Every user of an organization, oldest first, a page at a time. */
export async function* pagesOfUsers(
  dataSource: DataSource,
  organizationId: string,
): AsyncGenerator<UserView[]> {
  let last = '';
  for (;;) {
    const users: UserFields[] = await dataSource.query(
      `SELECT ${USER_COLUMNS} FROM ${tableName(dataSource, 'users')}
       WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
      [organizationId, last],
    );
    if (users.length > 0) yield users.map(serializeUser);
    if (users.length < PAGE) return;
    last = users[users.length - 1].id;
  }
}

/** Writes pages of users, and tells of each how many it was. */
export async function* writeUsers(
  pages: AsyncIterable<UserView[]>,
  format: Format,
  to: Writable,
): AsyncGenerator<number> {
  if (format === 'csv') await write(to, stringify([USER_FIELD_LIST.map(({ name }) => name)]));
  for await (const page of pages) {
    await write(to, format === 'csv' ? csv(page) : ndjson(page));
    yield page.length;
  }
}

const ndjson = (page: UserView[]) => page.map((user) => `${JSON.stringify(user)}\n`).join('');

const csv = (page: UserView[]) =>
  stringify(page.map((user) => USER_FIELD_LIST.map(({ name }) => guarded(cell(user[name])))));

const cell = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const write = (to: Writable, text: string) =>
  new Promise<void>((done, fail) => {
    to.write(text, (error) => (error ? fail(error) : done()));
  });

/** A file that is there only once it is whole; a device or a pipe is written to as it is. */
export async function writeWholeFile(path: string, fill: (to: Writable) => Promise<void>): Promise<void> {
  const isSpecial = existsSync(path) && !statSync(path).isFile();
  const begun = isSpecial ? path : `${path}.part`;
  const stream = createWriteStream(begun, { mode: 0o600, flush: !isSpecial });
  const closed = finished(stream);
  closed.catch(() => {}); // whoever writes is told
  try {
    await once(stream, 'open'); // one that cannot be opened says why, before anything is written to it
    await fill(stream);
    stream.end();
    await closed;
  } catch (error) {
    stream.destroy();
    if (!isSpecial) rmSync(begun, { force: true });
    throw error;
  }
  if (!isSpecial) renameSync(begun, path);
}
