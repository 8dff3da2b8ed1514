import type { Statistics } from '../../client/index.ts';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { formatCount } from '../ui/format.ts';
import { Panel } from '../ui/panel.tsx';
import { Ago } from '../ui/time.tsx';
import { useResource } from '../ui/use-resource.ts';
import { CountsSkeleton } from './counts-skeleton.tsx';
import { CreatedChart } from './created-chart.tsx';
import { createdIn } from './days.ts';
import { GetStarted } from './get-started.tsx';
import { useSetup } from './use-setup.ts';

/** The maximum number of users that the service counts for a day. */
const MAX_OF_DAY = 10_000;

/** The number of users, and the last 30 days; in a new organization, what to do first. */
export function UserCounts() {
  const { client } = useSession();
  const statistics = useResource('statistics', (signal) => client.statistics({ signal }));
  return (
    <>
      <Failure error={statistics.error} onRetry={statistics.reload} />
      {statistics.value ? (
        <AtAGlance statistics={statistics.value} />
      ) : (
        statistics.isLoading && <CountsSkeleton />
      )}
    </>
  );
}

function AtAGlance({ statistics }: { statistics: Statistics }) {
  const { setup, isLoading, dismiss } = useSetup(statistics);
  if (isLoading) return <CountsSkeleton />;
  return (
    <>
      {statistics.users.total > 0 && <Counts statistics={statistics} />}
      {setup && <GetStarted setup={setup} onDismiss={dismiss} />}
      {statistics.users.total === 0 && !setup && (
        <Panel title="Users">
          <p class="quiet">There are no users yet.</p>
        </Panel>
      )}
    </>
  );
}

function Counts({ statistics: { users, createdByDay, countedAt } }: { statistics: Statistics }) {
  const isCut = createdByDay.some((day) => day.count === MAX_OF_DAY);
  // If not exact, the total is the maximum that the service counts up to.
  const counted = (n: number) => formatCount(n) + (!users.exact && n === users.total ? '+' : '');
  const figures = [
    [<Link to="users">Users</Link>, counted(users.total)],
    [<Link to="users?active=true">Active</Link>, counted(users.active)],
    ['Created in 30 days', formatCount(createdIn(createdByDay)) + (isCut ? '+' : '')],
  ];
  return (
    <>
      <dl class="figures">
        {figures.map(([title, value], i) => (
          <div key={i}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Panel
        title="Users created"
        aside={
          <span class="hint">
            Counted <Ago iso={countedAt} />
          </span>
        }
      >
        <CreatedChart days={createdByDay} />
      </Panel>
    </>
  );
}
