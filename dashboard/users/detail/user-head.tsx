import type { ComponentChildren } from 'preact';
import type { User } from '../../../client/index.ts';
import { CopyText } from '../../ui/copy.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { listAround } from '../user/came-from.ts';
import { Initials } from '../user/initials.tsx';
import { Neighbours } from './neighbours.tsx';

interface Props {
  id: string;
  /** Undefined while it is fetched. */
  user: User | undefined;
  isDeleted?: boolean;
  actions?: ComponentChildren;
}

/** Who it is, and the way back to the list from which the page was opened. */
export function UserHead({ id, user, isDeleted, actions }: Props) {
  const around = listAround(id);
  return (
    <PageHead
      list={{ path: around?.href ?? 'users', title: 'Users' }}
      beside={around && <Neighbours previous={around.previous} next={around.next} />}
      face={user && <Initials id={id} name={user.name} isLarge />}
      title={user?.name ?? 'User'}
      marks={
        isDeleted ? (
          <span class="chip warning">Deleted</span>
        ) : (
          user?.active === false && <span class="chip warning">Inactive</span>
        )
      }
      line={
        user && (
          <div class="email quiet">
            <CopyText text={user.email} label="Copy the email">
              <bdi>{user.email}</bdi>
            </CopyText>
          </div>
        )
      }
      actions={actions}
    />
  );
}
