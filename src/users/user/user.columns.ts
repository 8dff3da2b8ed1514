import { raw } from '../../database/sql';

/** The fields of a user in a SELECT. */
export const USER_COLUMNS = raw(
  `id, name, email, role, metadata, version, created_at AS "createdAt", updated_at AS "updatedAt"`,
);

const isoTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The same, with times and metadata as the text that a response contains. */
export const USER_TEXT_COLUMNS = raw(
  `id, name, email, role, metadata::text AS metadata, version, ${isoTime('created_at')} AS "createdAt", ${isoTime('updated_at')} AS "updatedAt"`,
);

/** A row of `USER_TEXT_COLUMNS`. */
export type UserText = Record<
  'id' | 'name' | 'email' | 'role' | 'metadata' | 'createdAt' | 'updatedAt',
  string
> & {
  version: number;
};
