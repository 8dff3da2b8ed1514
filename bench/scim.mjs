// Compares requests of directories with the same requests to the API, on one server whose users a directory has created, and
// creates with those of a database without unique user names:
//   node bench/scim.mjs [--organizations 10] [--users 5000] [--callers 8] [--rounds 5] [--seconds 2]
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { createUser, newPerson } from './operations.mjs';
import { BASE, openSides, post, progress, service, stopAll } from './sides.mjs';

const { values } = parseArgs({
  options: {
    organizations: { type: 'string', default: '10' },
    users: { type: 'string', default: '5000' },
    callers: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const [organizations, users, callers, rounds, seconds] = [
  values.organizations,
  values.users,
  values.callers,
  values.rounds,
  values.seconds,
].map(Number);

const SCIM = '/scim/v2';
const PROVISIONING_CALLERS = 8;

/** Creates users as a directory does. */
async function provision(side) {
  let left = users;
  const next = async () => {
    while (left-- > 0) {
      const { name, email } = newPerson();
      const [givenName, familyName] = name.split(' ');
      const organization = side.organizations[left % organizations];
      const { id } = await post(side.url, organization, `${SCIM}/Users`, {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: email,
        externalId: `external-${left}`,
        displayName: name,
        name: { givenName, familyName },
        emails: [{ value: email, type: 'work', primary: true }],
        active: true,
      });
      side.users.push({ id, email, organization, active: true });
    }
  };
  await Promise.all(Array.from({ length: PROVISIONING_CALLERS }, next));
  progress(`${side.name}: ${users} users by SCIM`);
}

let turn = 0;
const anyOf = (list) => list[turn++ % list.length];

/** The same request in the format of each side. */
const either = (name, ofApi, ofScim) => ({
  name,
  requestOf: (side) => (side === scim ? ofScim(side) : ofApi(side)),
});

const toggled = (side) => {
  const user = anyOf(side.users);
  user.active = !user.active;
  return user;
};

let scim;
try {
  const sides = await openSides(
    [
      { ...service, name: 'API' },
      { ...service, name: 'API, no unique user name' },
    ],
    {
      organizations,
      users: 0,
    },
  );
  const [api, withoutIndex] = sides;
  await withoutIndex.client.query('DROP INDEX users_organization_id_user_name_key');
  for (const side of sides) await provision(side);
  scim = { ...api, name: 'SCIM', refresh: () => {} }; // the same server

  const operations = [
    either(
      'find one by its email or user name',
      (side) => {
        const { email, organization } = anyOf(side.users);
        return { path: `${BASE}?email=${encodeURIComponent(email)}`, organization };
      },
      (side) => {
        const { email, organization } = anyOf(side.users);
        const filter = encodeURIComponent(`userName eq "${email}"`);
        return { path: `${SCIM}/Users?filter=${filter}`, organization };
      },
    ),
    either(
      'a page of 100',
      (side) => ({ path: `${BASE}?limit=100`, organization: anyOf(side.organizations) }),
      (side) => ({ path: `${SCIM}/Users?startIndex=1&count=100`, organization: anyOf(side.organizations) }),
    ),
    either(
      'PATCH of active',
      (side) => {
        const { id, organization, active } = toggled(side);
        return { method: 'PATCH', path: `${BASE}/${id}`, organization, body: { active } };
      },
      (side) => {
        const { id, organization, active } = toggled(side);
        const body = {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'Replace', path: 'active', value: active ? 'True' : 'False' }],
        };
        return { method: 'PATCH', path: `${SCIM}/Users/${id}`, organization, body };
      },
    ),
  ];
  await compare([api, scim], operations, { rounds, seconds, callers });
  // Separately, because a server that is idle for long between the rounds is slower.
  await compare([api, withoutIndex], [createUser], { rounds: rounds * 2, seconds, callers });
} finally {
  await stopAll();
}
