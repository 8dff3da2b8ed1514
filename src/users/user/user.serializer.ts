import { type Metadata, type User, USER_COLUMNS, type USER_FIELDS } from './user.entity';
import type { UserRecord, UserText, UserView } from './user.view';

/** An allow-list, so that nobody sees another column of the row. */
export const serializeUser = <Values extends object = Metadata>(
  user: Pick<User, (typeof USER_FIELDS)[number]>,
): UserRecord<Values> => ({
  id: user.id,
  externalId: user.externalId,
  name: user.name,
  email: user.email,
  role: user.role,
  active: user.active,
  metadata: user.metadata as Values,
  version: user.version,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
});

/** The user of a row whose JSON and times are text. */
export const userOfText = <Values extends object = Metadata>({
  directory,
  ...row
}: UserText): UserRecord<Values> => ({
  ...serializeUser<Values>({
    ...row,
    metadata: JSON.parse(row.metadata) as UserView['metadata'],
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  }),
  ...(directory && { directory: JSON.parse(directory) as UserView['directory'] }),
});

/** The same row as JSON. */
export function userToJson(row: UserText): string {
  const user = USER_COLUMNS.toJson(row);
  return row.directory === undefined ? user : `${user.slice(0, -1)},"directory":${row.directory}}`;
}
