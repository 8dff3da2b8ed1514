import type { User } from '../../../client/index.ts';
import { CopyId } from '../../ui/copy-id.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Moment } from '../../ui/moment.tsx';
import { ROLES } from '../user/roles.ts';

/** All fields of a user except its metadata. */
export const UserFacts = ({ user }: { user: User }) => (
  <Facts>
    <Fact title="Email">
      <bdi>{user.email}</bdi>
    </Fact>
    <Fact title="Role">
      <span class="chip">{ROLES[user.role]}</span>
    </Fact>
    <Fact title="State">
      <span class={user.active ? 'state active' : 'state revoked'}>
        {user.active ? 'Active' : 'Inactive'}
      </span>
    </Fact>
    <Fact title="ID">
      <CopyId id={user.id} />
    </Fact>
    {user.externalId !== null && (
      <Fact title="External ID">
        <bdi>{user.externalId}</bdi>
      </Fact>
    )}
    <Fact title="Created">
      <Moment iso={user.createdAt} />
    </Fact>
    <Fact title="Changed">
      <Moment iso={user.updatedAt} />
    </Fact>
    <Fact title="Version">{user.version}</Fact>
  </Facts>
);
