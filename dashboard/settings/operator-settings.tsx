import type { Settings } from '../../client/index.ts';
import { docsUrl } from '../router/address.ts';
import { useSession } from '../session/session.ts';
import { countOf, formatCount } from '../ui/format.ts';
import { FetchedPanel } from '../ui/panel.tsx';
import { serviceTitle } from '../ui/title.ts';
import { useResource } from '../ui/use-resource.ts';

interface Setting {
  title: string;
  value: string;
  meaning: string;
  /** The environment variable that sets it. */
  variable: string;
}

/** What the operator has set. Nobody can change it here. */
export function OperatorSettings() {
  const { client } = useSession();
  const settings = useResource('settings', (signal) => client.settings({ signal }));
  return (
    <FetchedPanel
      title="Service"
      aside={<span class="quiet small">Set by the operator</span>}
      resource={settings}
      textOf={() => ''}
    >
      {(settings) => (
        <>
          <ul role="list" class="rows">
            {settingsIn(settings).map((setting) => (
              <Row key={setting.variable} {...setting} />
            ))}
          </ul>
          <p class="quiet small">
            Version {settings.version}
            {docsUrl && (
              <>
                {' · '}
                <a href={docsUrl} target="_blank" rel="noreferrer">
                  API reference
                </a>
              </>
            )}
          </p>
        </>
      )}
    </FetchedPanel>
  );
}

const Row = ({ title, value, meaning, variable }: Setting) => (
  <li>
    <div>
      <span class="name">{title}</span>
      <p class="quiet small">{meaning}</p>
    </div>
    <div class="value">
      {value}
      <code class="quiet sub">{variable}</code>
    </div>
  </li>
);

const settingsIn = (settings: Settings): Setting[] => [
  {
    title: 'Requests',
    value: `${formatCount(settings.rateLimitPerMinute)} a minute`,
    meaning: 'Of each token that has no limit of its own. More are refused until the minute is over.',
    variable: 'RATE_LIMIT_PER_MINUTE',
  },
  {
    title: 'Life of a new token',
    value: settings.tokenMaxDays === null ? 'Unlimited' : `At most ${countOf(settings.tokenMaxDays, 'day')}`,
    meaning: 'Tokens that exist already keep the end that they have.',
    variable: 'TOKEN_MAX_DAYS',
  },
  {
    title: 'Activity',
    value: `Kept ${countOf(settings.eventRetentionDays, 'day')}`,
    meaning: 'Older activity is deleted for good.',
    variable: 'EVENT_RETENTION_DAYS',
  },
  {
    title: 'Deleted users',
    value:
      settings.deletedUsersRetentionDays === 0
        ? 'Not kept'
        : `Kept ${countOf(settings.deletedUsersRetentionDays, 'day')}`,
    meaning:
      settings.deletedUsersRetentionDays === 0
        ? 'Deleting a user erases everything about them at once.'
        : 'Until then they can be restored; then they are erased for good.',
    variable: 'DELETED_USERS_RETENTION_DAYS',
  },
  {
    title: 'Changes of users by programs',
    value: settings.requireIfMatch ? 'Need If-Match' : 'If-Match is optional',
    meaning: 'With If-Match, a change is refused if somebody else has changed the user meanwhile.',
    variable: 'REQUIRE_IF_MATCH',
  },
  {
    title: 'Webhooks',
    value: settings.webhooks ? 'Available' : 'Not available',
    meaning: settings.webhooks
      ? 'Their secrets are stored encrypted.'
      : 'They need a key, which encrypts their secrets.',
    variable: 'WEBHOOK_ENCRYPTION_KEY',
  },
  {
    title: 'Public address',
    value: settings.publicUrl ?? 'Not set',
    meaning: 'Where the service is reached from outside.',
    variable: 'PUBLIC_URL',
  },
  {
    title: 'Title of the dashboard',
    value: serviceTitle ?? 'Not set',
    meaning: 'Tells this service from others, on the page of signing in and in the navigation.',
    variable: 'DASHBOARD_TITLE',
  },
];
