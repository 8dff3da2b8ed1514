import type { Client, User } from '../../../client/index.ts';
import { hasStatus } from '../../ui/faults.ts';

/** Deactivates a user or activates it again, without a question, because the same action undoes it. */
export const setActive = (client: Client, user: User): Promise<User> =>
  client.users
    .update(user.id, { active: !user.active }, { ifMatch: user.version })
    .catch((error: unknown) => {
      throw hasStatus(error, 412) ? new Error(changedMeanwhile(user)) : error;
    });

const changedMeanwhile = ({ name, active }: User) =>
  `Somebody else changed ${name} meanwhile, so the user was not ${active ? 'deactivated' : 'activated'}. The page shows what it is now.`;
