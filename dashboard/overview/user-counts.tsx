import type { Statistics } from '../../client/index.ts';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { Panel } from '../ui/panel.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Ago } from '../ui/time.tsx';
import { useResource } from '../ui/use-resource.ts';
import { CreatedChart } from './created-chart.tsx';
import { formatCount } from '../ui/format.ts';

/** The maximum number of users that the service counts for a day. */
const MAX_OF_DAY = 10_000;

/** The number of users, and the last 30 days. */
export function UserCounts() {
  const { client } = useSession();
  const statistics = useResource('statistics', (signal) => client.statistics({ signal }));
  return (
    <>
      <Failure error={statistics.error} onRetry={statistics.reload} />
      {statistics.value ? <Counts statistics={statistics.value} /> : statistics.isLoading && <Skeleton />}
    </>
  );
}

function Counts({ statistics: { users, createdByDay, countedAt } }: { statistics: Statistics }) {
  const created = createdByDay.reduce((sum, day) => sum + day.count, 0);
  const isCut = createdByDay.some((day) => day.count === MAX_OF_DAY);
  // If not exact, the total is the maximum that the service counts up to.
  const counted = (n: number) => formatCount(n) + (!users.exact && n === users.total ? '+' : '');
  const figures = [
    [<Link to="users">Users</Link>, counted(users.total)],
    [<Link to="users?active=true">Active</Link>, counted(users.active)],
    ['Created in 30 days', formatCount(created) + (isCut ? '+' : '')],
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
            Counted <Ago iso={countedAt} />, at most once a minute
          </span>
        }
      >
        <CreatedChart days={createdByDay} />
      </Panel>
    </>
  );
}
