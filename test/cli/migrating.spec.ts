/**
 * @slow each command opens the database, which takes a server a tenth of the time
 * @only embedded postgres: it tests the commands of a page; what is written are batches
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { useJobs } from '../support/jobs';

const doc = readFileSync('docs/migrating.md', 'utf8');

/** The command below a heading that turns an export into `people.ndjson`. */
const commandOf = (heading: string): string =>
  new RegExp(`## ${heading}\\n[^#]*?\`\`\`sh\\n([^\`]*>people\\.ndjson)\\n\`\`\``).exec(doc)![1];

const { directory, path, file, newOrganization, importFile, exported } = useJobs();

const withoutPrograms = ['bash', 'jq', 'gunzip'].filter(
  (name) => spawnSync(name, ['--version']).status !== 0,
);
if (withoutPrograms.length > 0)
  process.stderr.write(`Not installed: ${withoutPrograms.join(', ')}. Not tested: docs/migrating.md\n`);

/** Runs the command in a folder with the export, and imports what it has made as the page says: twice. */
async function move(heading: string) {
  execFileSync('bash', ['-euo', 'pipefail', '-c', commandOf(heading)], { cwd: directory() });
  const organization = await newOrganization();
  const options = ['--mode', 'upsert', '--by', 'external-id'];
  const first = await importFile(path('people.ndjson'), organization, ...options);
  const again = await importFile(path('people.ndjson'), organization, ...options);
  const users = await exported(organization);
  return {
    first: first.summary,
    again: again.summary,
    users: users.sort((a, b) => (a.email < b.email ? -1 : 1)),
    refused: first.stderr,
  };
}

(withoutPrograms.length > 0 ? describe.skip : describe)('the commands of docs/migrating.md', () => {
  it('import an export of Auth0', async () => {
    const users = [
      {
        user_id: 'auth0|5f7c8ec7c33c6c004bbafe82',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        nickname: 'ada',
        user_metadata: { language: 'en', plan: 'free' },
        app_metadata: { plan: 'pro', seats: 3 },
      },
      { user_id: 'google-oauth2|103', email: 'grace@example.com', nickname: 'grace', blocked: true },
      { user_id: 'sms|104', name: '+15551234567' },
    ];
    file('auth0.json.gz', gzipSync(users.map((user) => JSON.stringify(user)).join('\n')));

    const { first, again, users: moved, refused } = await move('Auth0');

    expect(first).toMatchObject({ created: 2, refused: 1 });
    expect(refused).toContain('email');
    expect(again).toMatchObject({ unchanged: 2, refused: 1 });
    expect(moved).toMatchObject([
      {
        externalId: 'auth0|5f7c8ec7c33c6c004bbafe82',
        name: 'Ada Lovelace',
        active: true,
        metadata: { language: 'en', plan: 'pro', seats: 3 },
      },
      { externalId: 'google-oauth2|103', name: 'grace', active: false, metadata: {} },
    ]);
  });

  it('import an export of Keycloak', async () => {
    const ada = {
      id: '8d4a6d0c-0f3b-4b53-9a3a-0c3d7f0f5c11',
      username: 'ada',
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      emailVerified: true,
      enabled: true,
      createdTimestamp: 1764500000000,
      attributes: { department: ['Research'], phone: ['+44 1', '+44 2'] },
      credentials: [{ type: 'password', secretData: '{}', credentialData: '{}' }],
      realmRoles: ['default-roles-acme'],
      groups: ['/staff'],
    };
    const robot = {
      id: '1b',
      username: 'service-account-crm',
      enabled: true,
      serviceAccountClientId: 'crm',
    };
    const root = { id: '2c', username: 'root', email: 'root@example.com', enabled: false };
    mkdirSync(path('export'));
    file('export/acme-users-0.json', JSON.stringify({ realm: 'acme', users: [ada, robot] }));
    file('export/acme-users-1.json', JSON.stringify({ realm: 'acme', users: [root] }));

    const { first, again, users } = await move('Keycloak');

    expect(first).toMatchObject({ created: 2, refused: 0 });
    expect(again).toMatchObject({ unchanged: 2, refused: 0 });
    expect(users).toMatchObject([
      {
        externalId: ada.id,
        name: 'Ada Lovelace',
        active: true,
        metadata: { department: 'Research', phone: '+44 1, +44 2' },
      },
      { externalId: '2c', name: 'root', active: false, metadata: {} },
    ]);
  });

  it('import the users of Cognito', async () => {
    const attributes = (values: Record<string, string>) =>
      Object.entries(values).map(([Name, Value]) => ({ Name, Value }));
    const cognito = {
      Users: [
        {
          Username: 'ada',
          Attributes: attributes({
            sub: '8d4a6d0c-0f3b-4b53-9a3a-0c3d7f0f5c11',
            email_verified: 'true',
            given_name: 'Ada',
            family_name: 'Lovelace',
            email: 'ada@example.com',
            'custom:plan': 'pro',
          }),
          UserCreateDate: '2026-01-31T12:00:00.000000+00:00',
          UserLastModifiedDate: '2026-01-31T12:00:00.000000+00:00',
          Enabled: true,
          UserStatus: 'CONFIRMED',
        },
        {
          Username: 'grace',
          Attributes: attributes({ sub: '9e', email: 'grace@example.com', name: 'Grace Hopper' }),
          Enabled: false,
          UserStatus: 'FORCE_CHANGE_PASSWORD',
        },
        {
          Username: 'mary',
          Attributes: attributes({ sub: 'af', email: 'mary@example.com' }),
          Enabled: true,
          UserStatus: 'CONFIRMED',
        },
      ],
    };
    file('cognito.json', JSON.stringify(cognito));

    const { first, again, users } = await move('Cognito');

    expect(first).toMatchObject({ created: 3, refused: 0 });
    expect(again).toMatchObject({ unchanged: 3 });
    expect(users).toMatchObject([
      { externalId: '8d4a6d0c-0f3b-4b53-9a3a-0c3d7f0f5c11', name: 'Ada Lovelace', metadata: { plan: 'pro' } },
      { externalId: '9e', name: 'Grace Hopper', active: false },
      { externalId: 'af', name: 'mary', active: true },
    ]);
  });
});
