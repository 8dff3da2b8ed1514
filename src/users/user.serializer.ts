import type { User, UserText } from './user.entity';
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

/** The same as JSON. */
export const userAsJson = (user: UserText): string =>
  `{"id":"${user.id}","name":${JSON.stringify(user.name)},"email":${JSON.stringify(user.email)},"role":"${user.role}","metadata":${user.metadata},"createdAt":"${user.createdAt}","updatedAt":"${user.updatedAt}"}`;
