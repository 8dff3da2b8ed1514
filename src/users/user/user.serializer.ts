import type { User, UserField } from './user.entity';
import type { UserText } from './user-query';
import type { UserView } from './user.view';

/** A user, as every method of the services returns it and every response shows it. */
export type UserRecord = UserView;

/** An allow-list, so that nobody sees another column of the row. */
export const serializeUser = (user: Pick<User, UserField>): UserRecord => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  active: user.active,
  metadata: user.metadata,
  version: user.version,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
});

/** The same as JSON text, from a row of `USER_TEXT_COLUMNS`. */
export const userAsJson = (user: UserText): string =>
  `{"id":"${user.id}","name":${JSON.stringify(user.name)},"email":${JSON.stringify(user.email)},"role":"${user.role}",` +
  `"active":${user.active},"metadata":${user.metadata},"version":${user.version},"createdAt":"${user.createdAt}","updatedAt":"${user.updatedAt}"}`;
