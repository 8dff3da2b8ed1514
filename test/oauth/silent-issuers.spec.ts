/**
 * @only embedded: an issuer is asked before the database is
 */
import { ACME, assertionOf, present, SUBJECT, useAssertions } from '../support/assertions';
import { aUser, type Client } from '../support/client';
import { useMonotonicClock } from '../support/clock';
import { DISCOVERY, type FakeIssuer, startIssuer } from '../support/issuer';
import { exchange } from '../support/oauth';
import { useTimeouts } from '../support/timeouts';
import { until } from '../support/until';

/** Two issuers that never answer, and one whose keys are read while they do not. */
let silent: FakeIssuer[];
let other: FakeIssuer;
beforeAll(async () => {
  [other, ...silent] = await Promise.all([1, 2, 3].map(() => startIssuer()));
  for (const issuer of silent) issuer.answerAt(DISCOVERY, () => {});
});
afterAll(() => Promise.all([other, ...silent].map((issuer) => issuer.down())));

const { issuer, service } = useAssertions(
  (url) =>
    [url, other.url, ...silent.map(({ url }) => url)].map((url) => `${url} sub=${SUBJECT} -> ${ACME} admin`),
  { RATE_LIMIT_PER_MINUTE: '100000' },
);
const timeouts = useTimeouts();
const clock = useMonotonicClock();

let api: Client;
beforeEach(async () => {
  api = await service.client();
  clock.pass(11 * 60_000); // no keys are kept
  expect((await present(service, await assertionOf(issuer))).status).toBe(200);
  for (const { requests } of [other, ...silent]) requests.paths = [];
});

/** Whatever else the service does, with bodies of so many bytes from this network. */
async function expectOthersServed(bytes: number, network: string): Promise<void> {
  const headers = { 'X-Forwarded-For': network };
  const exchanged = async (by: FakeIssuer, padding: string) =>
    (await present(service, await assertionOf(by), { padding }, { headers })).status;
  const padding = 'x'.repeat(bytes);
  const client = { client_id: api.tokenId, client_secret: api.tokenValue };
  // Only a form with an assertion may have more than 16 KB.
  const credentials = { grant_type: 'client_credentials', ...client, padding: padding.slice(0, 15_000) };
  const user = JSON.stringify(aUser()).padEnd(bytes);
  expect({
    'an issuer whose keys are kept': await exchanged(issuer, padding),
    'an issuer whose keys are read now': await exchanged(other, ''),
    'client credentials': (await exchange(service.url, credentials, { headers })).status,
    'a read': (await api.get('/api/v1/users').set(headers)).status,
    'a write': (await api.post('/api/v1/users').set(headers).type('json').send(user)).status,
  }).toEqual({
    'an issuer whose keys are kept': 200,
    'an issuer whose keys are read now': 200,
    'client credentials': 200,
    'a read': 200,
    'a write': 201,
  });
  expect(other.requests.paths).not.toEqual([]);
}

it('nobody else waits for an issuer that is silent', async () => {
  const [mute] = silent;
  const answer = present(service, await assertionOf(mute));
  await until(() => mute.requests.paths.length > 0);
  await expectOthersServed(100, '192.0.2.1');
  timeouts.end();
  expect((await answer).status).toBe(503);
});

it('200 bodies of 60 KB from 20 networks for two issuers that are silent leave room for others', async () => {
  const assertions = await Promise.all(silent.map((mute) => assertionOf(mute)));
  const padding = 'x'.repeat(60_000);
  const statuses: number[] = [];
  const sent = Array.from({ length: 200 }, async (_, i) => {
    const headers = { 'X-Forwarded-For': `198.51.100.${i % 20}` };
    statuses.push((await present(service, assertions[i % 2], { padding }, { headers })).status);
  });
  // Most are refused although no time is over; some wait.
  await until(() => statuses.length >= 180);
  expect(statuses.length).toBeLessThan(200);
  for (const network of ['198.51.100.0', '198.51.100.1', '192.0.2.1'])
    await expectOthersServed(60_000, network);
  timeouts.end();
  await Promise.all(sent);
  expect(statuses).toEqual(Array(200).fill(503));
});
