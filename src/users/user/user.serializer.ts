import type { User } from './user.entity';
import type { UserView } from './user.view';

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
