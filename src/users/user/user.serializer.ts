import type { User } from './user.entity';
import type { UserText, UserView } from './user.view';

/** An allow-list, so that nobody sees another column of the row. */
export const serializeUser = (user: Pick<User, keyof UserView>): UserView => ({
  id: user.id,
  externalId: user.externalId,
  name: user.name,
  email: user.email,
  role: user.role,
  active: user.active,
  metadata: user.metadata,
  version: user.version,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
});

/** The user of a row whose JSON and times are text. */
export const userOfText = (row: UserText): UserView =>
  serializeUser({
    ...row,
    metadata: JSON.parse(row.metadata) as UserView['metadata'],
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  });
