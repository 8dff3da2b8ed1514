// Compares the requests of directories on a large group with the same on a small one, one request at a time:
//   node bench/groups.mjs [--members 100000] [--changes 400] [--rounds 5] [--seconds 2]
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { openSides, post, progress, send, service, stopAll } from './sides.mjs';

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const [members, changes, rounds, seconds] = [
  values.members,
  values.changes,
  values.rounds,
  values.seconds,
].map(Number);

const GROUPS = '/scim/v2/Groups';
const SMALL = 10;
/** A body has at most a megabyte. */
const PER_PATCH = 20_000;

const patch = (Operations) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const added = (ids) => ({ op: 'Add', path: 'members', value: ids.map((value) => ({ value })) });

async function newGroup({ url, organizations: [organization] }, ids) {
  const { id } = await post(url, organization, GROUPS, { displayName: `Group of ${ids.length}` });
  for (let i = 0; i < ids.length; i += PER_PATCH)
    await send(url, organization, 'PATCH', `${GROUPS}/${id}`, patch([added(ids.slice(i, i + PER_PATCH))]));
  progress(`a group of ${ids.length}`);
  return id;
}

const ofGroup = (name, amountOf, requestOf) => ({
  name,
  amountOf,
  requestOf: (side) => {
    const { query = '', ...request } = requestOf(side);
    return { path: `${GROUPS}/${side.groupId}${query}`, organization: side.organizations[0], ...request };
  },
});

try {
  const [side] = await openSides([service], { organizations: 1, users: members + changes });
  const ids = side.users.map(({ id }) => id);
  const outsiders = ids.splice(members);
  const sideOf = async (size, refresh) => ({
    ...side,
    refresh,
    name: `group of ${size}`,
    groupId: await newGroup(side, ids.slice(0, size)),
    outsiders: [...outsiders],
    insiders: [],
  });
  const sides = [await sideOf(SMALL, side.refresh), await sideOf(members, () => {})];
  const operations = [
    ofGroup(
      'add a member',
      ({ outsiders }) => outsiders.length,
      ({ outsiders, insiders }) => {
        const id = outsiders.pop();
        insiders.push(id);
        return { method: 'PATCH', body: patch([added([id])]) };
      },
    ),
    ofGroup(
      'remove a member',
      ({ insiders }) => insiders.length,
      ({ outsiders, insiders }) => {
        const id = insiders.pop();
        outsiders.push(id);
        return { method: 'PATCH', body: patch([{ op: 'Remove', path: `members[value eq "${id}"]` }]) };
      },
    ),
    ofGroup('get without members', undefined, () => ({ query: '?excludedAttributes=members' })),
  ];
  await compare(sides, operations, { rounds, seconds, callers: 1 });
} finally {
  await stopAll();
}
