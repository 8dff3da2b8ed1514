import { Link } from '../../router/link.tsx';

/** In place of a user who is not found. */
export const NoUser = () => (
  <p class="empty">
    There is no such user. It may have been deleted: look among the <Link to="deleted">deleted users</Link>,
    or <Link to="users">search all users</Link>.
  </p>
);

/** Beside a user who was found before. */
export const GoneUser = () => (
  <div role="alert">
    <div class="banner warning">
      <p>
        Somebody else has deleted this user. This is who it was; look among the{' '}
        <Link to="deleted">deleted users</Link> to restore it.
      </p>
    </div>
  </div>
);
