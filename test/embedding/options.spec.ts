import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { HostOptionsModule, OPTIONS, type UserManagementOptions } from '../../src/entry/embedding/options';
import { readConfig } from '../../src/entry/process/config';

/** The options as the module provides them, without a service. */
async function resolved(options: object): Promise<UserManagementOptions> {
  const app = await NestFactory.createApplicationContext(HostOptionsModule.forRoot(options), {
    logger: false,
    abortOnError: false,
  });
  return app.get(OPTIONS);
}

const RATE = 'rateLimitPerMinute must be a whole number from 1 to 1000000000.';

describe('the options of a host', () => {
  it('have defaults, also if they are undefined', async () => {
    const defaults = {
      prefix: '',
      migrate: true,
      rateLimitPerMinute: 1000,
      rateLimitStorage: 'postgres',
      requireIfMatch: false,
      subscribers: [],
      eventRetentionDays: 365,
      deletedUsersRetentionDays: 30,
      background: true,
      webhooks: {},
      dashboard: true,
    };
    expect({ ...(await resolved({})) }).toEqual(defaults);
    const unset = Object.fromEntries(Object.keys(defaults).map((name) => [name, undefined]));
    expect({ ...(await resolved(unset)) }).toEqual(defaults);
  });

  it('are kept as they are, apart from slashes around the prefix', async () => {
    const given = {
      schema: 'ums',
      rateLimitPerMinute: 1_000_000_000,
      rateLimitStorage: 'memory',
      tokenMaxDays: 90,
      eventRetentionDays: 1,
      deletedUsersRetentionDays: 0,
      connections: 1,
      webhooks: false,
      dashboard: { signIn: () => null },
      dashboardTitle: 'Acme – Staging',
      onRequest: () => {},
      currentUser: () => null,
    };
    expect(await resolved({ ...given, prefix: '/a/b/' })).toMatchObject({ ...given, prefix: 'a/b' });
  });

  it('are refused if they are something else', async () => {
    const audience = 'https://users.example.com';
    for (const [options, message] of [
      [{ rateLimitPerMinute: 0 }, RATE],
      [{ rateLimitPerMinute: '10' }, RATE],
      [{ rateLimitPerMinute: null }, RATE],
      [{ rateLimitPerMinute: 1.5 }, RATE],
      [{ rateLimitStorage: 'redis' }, 'rateLimitStorage must be postgres or memory.'],
      [
        { dashboardTitle: '' },
        'dashboardTitle must be a text of 1 to 60 characters without control characters.',
      ],
      [{ tokenMaxDays: '90d' }, 'tokenMaxDays must be a whole number from 1 to 3650.'],
      [{ requireIfMatch: 1 }, 'requireIfMatch must be true or false.'],
      [{ background: 'true' }, 'background must be true or false.'],
      [{ eventRetentionDays: 3651 }, 'eventRetentionDays must be a whole number from 1 to 3650.'],
      [{ deletedUsersRetentionDays: -1 }, 'deletedUsersRetentionDays must be a whole number from 0 to 365.'],
      [{ connections: 0 }, 'connections must be a whole number, and at least 1.'],
      [{ dashboard: { signIn: 'me' } }, 'dashboard must be true, false or { signIn }.'],
      [{ onRequest: 'log' }, 'onRequest must be a function.'],
      [{ currentUser: null }, 'currentUser must be a function.'],
      [{ metrics: true }, 'metrics must be a registry of prom-client.'],
      [{ prefix: '/a b' }, 'The prefix /a b is not a plain path.'],
      [{ prefix: 5, migrate: 0 }, 'prefix must be a string.\nmigrate must be true or false.'],
      [{ schema: 5 }, 'schema must be a string.'],
      [{ subscribers: {} }, 'subscribers must be a list.'],
      [{ subscribers: [{ name: 'a' }] }, 'The subscriber a must have a function handle.'],
      [{ webhooks: true }, 'webhooks must be false or an object.'],
      [
        { webhooks: { encryptionKey: 5 } },
        'webhooks.encryptionKey must be 32 bytes in base64, or several of these separated by commas.',
      ],
      [
        { webhooks: { allowedNetworks: 5 } },
        'webhooks.allowedNetworks must be networks such as 10.1.0.0/16.',
      ],
      [
        { tokenIssuers: null },
        'tokenIssuers.audience must be a URL.\ntokenIssuers.rules must be a list of rules.',
      ],
      [
        { tokenIssuers: { audience: 'http://users.example.com', rules: [] } },
        'tokenIssuers.audience must be an https:// URL; http:// is for loopback only.',
      ],
      [
        { tokenIssuers: { audience, rules: ['https://a.example -> x users:read'] } },
        'tokenIssuers.rules has a rule without the id of an organization: "https://a.example -> x users:read".',
      ],
    ] as const)
      await expect(resolved(options)).rejects.toThrow(new Error(message));
  });

  it('are refused with all faults at once', async () => {
    const handle = () => {};
    const options = {
      rateLimitPerMinute: 0,
      eventRetentionDays: 0,
      prefix: '?',
      subscribers: [
        { name: 'a b', handle },
        { name: 'odd', types: ['user.eaten'], handle },
      ],
      webhooks: { encryptionKey: 'short', allowedNetworks: ['10.0.0.1'] },
    };
    const { message } = await resolved(options).then(
      () => new Error('accepted'),
      (error: Error) => error,
    );
    expect(message.split('\n').map((line) => line.replace(/ (must|is|has) .*/, ''))).toEqual([
      RATE.split(' ')[0],
      'eventRetentionDays',
      'The prefix ?',
      'The name of a subscriber',
      'The subscriber odd',
      'webhooks.encryptionKey',
      'webhooks.allowedNetworks',
    ]);
  });
});

it('refuses the same values of a variable and of its option', async () => {
  const message = 'must be a whole number from 1 to 3650';
  for (const [variable, option] of [
    ['EVENT_RETENTION_DAYS', 'eventRetentionDays'],
    ['TOKEN_MAX_DAYS', 'tokenMaxDays'],
  ])
    for (const value of [0, 3651, 1.5]) {
      expect(() => readConfig({ [variable]: `${value}` })).toThrow(
        new Error(`Invalid configuration:\n  ${variable} ${message}`),
      );
      await expect(resolved({ [option]: value })).rejects.toThrow(new Error(`${option} ${message}.`));
    }
});

/** The texts of all sources and tests of the example applications. */
const sources = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|mjs)$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
  .map((path) => readFileSync(join('examples', path), 'utf8'))
  .join('\n');

/** Collapses white space, because the page indents code differently. */
const normalized = (code: string) => code.replace(/\s+/g, ' ').trim();

it('each block of docs/embedding.md quotes the source of an example application', () => {
  const document = readFileSync('docs/embedding.md', 'utf8');
  const blocks = [...document.matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)].map(([, code]) => code);
  expect(blocks).toHaveLength(33);
  expect(blocks.filter((code) => !normalized(sources).includes(normalized(code)))).toEqual([]);
});
