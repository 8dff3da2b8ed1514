import type { User } from '../../../client/index.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { FACTS } from '../user/fields.tsx';

/** The fields of a user that have no other place on the page. */
export const UserFacts = ({ user }: { user: User }) => (
  <Facts>
    {FACTS.map(({ name, title, value }) => {
      const shown = value(user);
      return (
        shown !== null && (
          <Fact key={name} title={title}>
            {shown}
          </Fact>
        )
      );
    })}
  </Facts>
);
