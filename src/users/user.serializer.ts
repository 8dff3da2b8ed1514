import type { User } from './user.entity';

/** A user as every response shows it. */
export const serializeUser = ({ id, name, email, role, metadata, createdAt, updatedAt }: User) => ({
  id,
  name,
  email,
  role,
  metadata,
  createdAt,
  updatedAt,
});
