import type { User } from './user.entity';
import type { UserView } from './user.view';

/** A user as every response shows it. */
export const serializeUser = ({ id, name, email, role, metadata, createdAt, updatedAt }: User): UserView => ({
  id,
  name,
  email,
  role,
  metadata,
  createdAt,
  updatedAt,
});
