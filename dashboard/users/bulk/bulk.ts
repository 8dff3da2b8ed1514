import type { Client, User } from '../../../client/index.ts';
import { hasStatus } from '../../ui/faults.ts';
import { ROLES, type Role } from '../user/roles.ts';
import { patiently, type TaskHooks } from '../../ui/patiently.ts';
import { countOf } from '../../ui/format.ts';

export interface Outcome {
  done: User[];
  refused: { target: User; reason: string }[];
}

/** An action on many users. */
export interface Bulk {
  targets: User[];
  /** The question before it begins; undefined if it begins at once. */
  question?: { title: string; text: string; action: string; isDangerous: boolean };
  /** The words for the running and the completed action: “Deleting”, “Deleted”. */
  doing: string;
  did: string;
  /** Runs the action on these targets and adds each to the outcome as soon as its result is certain. */
  work(targets: User[], outcome: Outcome, hooks: WorkHooks): Promise<void>;
  /** Undoes the action for the users that were changed; undefined if it is an undo itself. */
  undo?(done: User[]): Bulk;
}

export interface WorkHooks extends TaskHooks {
  onProgress(): void;
}

export const changeRole = (client: Client, targets: User[], role: Role): Bulk =>
  change(
    client,
    targets,
    { role },
    {
      title: `Change the role of ${usersIn(targets)} to ${ROLES[role]}?`,
      text: 'The role is data for your application; it grants nothing here.',
      action: `Change ${usersIn(targets)}`,
      isDangerous: false,
    },
  );

export const changeActive = (client: Client, targets: User[], active: boolean): Bulk => {
  const action = `${active ? 'Activate' : 'Deactivate'} ${usersIn(targets)}`;
  return change(
    client,
    targets,
    { active },
    {
      title: `${action}?`,
      text: 'Whether a user is active is data for your application; it decides nothing here.',
      action,
      isDangerous: false,
    },
  );
};

type Values = { role: Role } | { active: boolean };

const change = (client: Client, targets: User[], values: Values, question: Bulk['question']): Bulk => ({
  targets,
  question,
  doing: 'Changing',
  did: 'Changed',
  work: (targets, outcome, hooks) => save(client, targets, () => values, outcome, hooks),
  undo: (done) => ({
    targets: done,
    doing: 'Restoring',
    did: 'Restored',
    work: (targets, outcome, hooks) =>
      save(client, targets, ({ role, active }) => ('role' in values ? { role } : { active }), outcome, hooks),
  }),
});

/** The maximum number of elements in a batch. */
const BATCH_SIZE = 500;

/** Saves the values of each target in batches. */
async function save(
  client: Client,
  targets: User[],
  valuesOf: (target: User) => Values,
  outcome: Outcome,
  hooks: WorkHooks,
): Promise<void> {
  for (let from = 0; from < targets.length; from += BATCH_SIZE) {
    const part = targets.slice(from, from + BATCH_SIZE);
    // Without the name, which a new user requires, so that a user who was deleted meanwhile is not created again.
    const users = part.map((target) => ({ email: target.email, ...valuesOf(target) }));
    const { results } = await patiently(
      () => client.users.batch(users, { mode: 'upsert', signal: hooks.signal, timeoutMs: 60_000 }),
      hooks,
    );
    for (const { index, errors } of results) {
      if (errors) outcome.refused.push({ target: part[index], reason: reasonOf(errors) });
      else outcome.done.push(part[index]);
    }
    hooks.onProgress();
  }
}

const reasonOf = (errors: { field: string; code: string; message: string }[]) =>
  errors.some(({ field, code }) => field.endsWith('name') && code === 'required')
    ? 'is gone, or has another email by now'
    : errors.map(({ field, message }) => `${field} ${message}`).join('; ');

export const deleteUsers = (client: Client, targets: User[]): Bulk => ({
  targets,
  question: {
    title: `Delete ${usersIn(targets)}?`,
    text: 'They can be restored under “Deleted” until they are purged, after 30 days unless the service is configured otherwise.',
    action: `Delete ${usersIn(targets)}`,
    isDangerous: true,
  },
  doing: 'Deleting',
  did: 'Deleted',
  work: (targets, outcome, hooks) =>
    each(targets, outcome, hooks, ({ id }) => client.users.delete(id, { signal: hooks.signal })),
  undo: (done) => ({
    targets: done,
    doing: 'Restoring',
    did: 'Restored',
    work: (targets, outcome, hooks) =>
      each(targets, outcome, hooks, ({ id }) =>
        client.deletedUsers.restore(id, undefined, { signal: hooks.signal }),
      ),
  }),
});

/** The number of requests in progress at once. */
const CONCURRENCY = 6;

/** Calls the API once for each target. A refused target does not hold up others; any other failure ends the action. */
async function each(
  targets: User[],
  outcome: Outcome,
  hooks: WorkHooks,
  call: (target: User) => Promise<unknown>,
): Promise<void> {
  const queue = targets.values();
  let hasFailed = false;
  const workOff = async () => {
    for (const target of queue) {
      if (hasFailed) return;
      try {
        await patiently(() => call(target), hooks);
        outcome.done.push(target);
      } catch (error) {
        if (!hasStatus(error, 404) && !hasStatus(error, 409)) {
          hasFailed = true;
          throw error;
        }
        outcome.refused.push({
          target,
          reason: error.status === 404 ? 'was deleted or restored by somebody else' : error.message,
        });
      }
      hooks.onProgress();
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, workOff));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
}

export const usersIn = ({ length }: { length: number }) => countOf(length, 'user');
