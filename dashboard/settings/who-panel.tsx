import type { Token } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { CodeChips } from '../ui/code-chips.tsx';
import { Facts } from '../ui/facts.tsx';
import { Panel } from '../ui/panel.tsx';
import { DateOf, Until } from '../ui/time.tsx';

/** The person or the token that is signed in. */
export function WhoPanel() {
  const { token, expiresAt } = useSession();
  const end = useStore(expiresAt);
  return (
    <Panel title="Signed in">
      <Facts
        facts={[
          ...(token.createdBy ? factsOfPerson(token.createdBy) : factsOfToken(token)),
          ['Scopes', <CodeChips names={token.scopes} />],
          [
            token.createdBy ? 'Until' : 'Expires',
            end === null ? (
              'Never'
            ) : (
              <>
                <DateOf iso={end} />{' '}
                <span class="quiet">
                  (<Until iso={end} />)
                </span>
              </>
            ),
          ],
        ]}
      />
    </Panel>
  );
}

type Fact = Parameters<typeof Facts>[0]['facts'][number];

const factsOfPerson = ({ name, issuer }: NonNullable<Token['createdBy']>): Fact[] => [
  ['As', <bdi class="name">{name}</bdi>],
  ['By', <bdi>{issuer}</bdi>],
];

const factsOfToken = ({ name, hint }: Token): Fact[] => [
  [
    'With the token',
    <>
      <bdi class="name">{name}</bdi> <code class="quiet">{hint}</code>
    </>,
  ],
];
