import { ROLES, type Role } from '../user/roles.ts';
import type { BatchAnswer, Client, CreateOptions, User } from '../../../client/index.ts';
import { isUnanswered } from '../../ui/faults.ts';
import { patiently } from '../../ui/patiently.ts';
import type { StoppableHooks } from '../../ui/use-task.ts';
import { countOf, formatCount } from '../../ui/format.ts';

export interface Outcome {
  done: User[];
  /** Those of them whom the action has changed for certain. */
  changed: User[];
  refused: { target: User; reason: string }[];
  /** Whether a part was sent of which no answer says what has become of it. */
  isUncertain: boolean;
}

/** An action on many users. */
export interface Bulk {
  targets: User[];
  /** The question before it begins; undefined if it begins at once. */
  question?: { title: string; text: string; action: string; isDangerous: boolean };
  /** The words before “5 users”, while it runs and when it has ended: “Deleting”, “Deleted”. */
  doing: string;
  did: string;
  /**
   * Runs the action on these targets and adds each to the outcome as soon as its result is certain. When it is stopped,
   * it ends with the answer to what is on its way.
   */
  work(targets: User[], outcome: Outcome, hooks: WorkHooks): Promise<void>;
  /** Undoes the action for the users that were changed; undefined if it is an undo itself. */
  undo?(changed: User[]): Bulk;
}

interface WorkHooks extends StoppableHooks {
  onProgress(): void;
}

export const changeRole = (client: Client, targets: User[], role: Role): Bulk =>
  change(
    client,
    targets,
    { role },
    { doing: 'Changing the role of', did: 'Changed the role of' },
    {
      title: `Change the role of ${usersIn(targets)} to ${ROLES[role]}?`,
      text: 'The role is data for your application; it grants nothing here.',
      action: `Change ${usersIn(targets)}`,
      isDangerous: false,
    },
  );

export const changeActive = (client: Client, targets: User[], active: boolean): Bulk => {
  const verb = active ? 'Activate' : 'Deactivate';
  const action = `${verb} ${usersIn(targets)}`;
  return change(
    client,
    targets,
    { active },
    { doing: verb.replace(/e$/, 'ing'), did: `${verb}d` },
    {
      title: `${action}?`,
      text: 'Whether a user is active is data for your application; it decides nothing here.',
      action,
      isDangerous: false,
    },
  );
};

type Values = { role: Role } | { active: boolean };

const change = (
  client: Client,
  targets: User[],
  values: Values,
  words: Pick<Bulk, 'doing' | 'did'>,
  question: Bulk['question'],
): Bulk => {
  const save = (valuesOf: (target: User) => Values): Bulk['work'] =>
    inBatches('was deleted by somebody else', async (part, options) => {
      const users = part.map((target) => ({ id: target.id, ...valuesOf(target) }));
      const answer = await client.users.batch(users, { mode: 'update', by: 'id', ...options });
      return { ...answer, changed: changedIn(part, answer) };
    });
  return {
    targets,
    question,
    ...words,
    work: save(() => values),
    undo: (changed) => ({
      targets: changed,
      doing: 'Restoring',
      did: 'Restored',
      work: save(({ role, active }) => ('role' in values ? { role } : { active })),
    }),
  };
};

/**
 * Those whom a batch has changed for certain, and nobody else since they were listed. An answer does not say who had
 * the values already: a user to whom somebody else has given them meanwhile has the next version, too. If the number of
 * changed users shows that there may be such a user, it is none of the batch: better no Undo than a wrong one.
 */
function changedIn(part: User[], { results, counts }: BatchAnswer): User[] {
  const steps = results.map(({ index, version }) => (version ?? 0) - part[index].version);
  if (steps.filter((step) => step > 0).length !== counts.updated) return [];
  return results.filter((_result, at) => steps[at] === 1).map(({ index }) => part[index]);
}

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
  work: inBatches('was deleted by somebody else', (part, options) =>
    client.users.batchDelete(idsOf(part), options),
  ),
  undo: (changed) => ({
    targets: changed,
    doing: 'Restoring',
    did: 'Restored',
    work: inBatches('was restored or purged by somebody else', (part, options) =>
      client.deletedUsers.batchRestore(idsOf(part), options),
    ),
  }),
});

const idsOf = (users: User[]) => users.map(({ id }) => id);

/** The maximum number of elements in a batch. */
const BATCH_SIZE = 500;

const BATCH_TIMEOUT_MS = 60_000;

interface Result {
  index: number;
  status: number;
  errors?: { field: string; message: string }[];
}

/**
 * Sends the targets in batches, one after the other. The key of a batch stays the same when the action is tried again,
 * so that what was done without an answer is not taken for somebody else's doing.
 */
function inBatches(
  gone: string,
  send: (part: User[], options: CreateOptions) => Promise<{ results: Result[]; changed?: User[] }>,
): Bulk['work'] {
  const name = crypto.getRandomValues(new Uint32Array(4)).join('-');
  return async (targets, outcome, hooks) => {
    for (let from = 0; from < targets.length; from += BATCH_SIZE) {
      const part = targets.slice(from, from + BATCH_SIZE);
      const idempotencyKey = `${name}-${part[0].id}`;
      const options = { idempotencyKey, signal: hooks.signal, timeoutMs: BATCH_TIMEOUT_MS };
      const { results, changed } = await patiently(() => send(part, options), {
        signal: hooks.stopping,
        onWait: hooks.onWait,
      }).catch((error: unknown) => {
        outcome.isUncertain ||= isUnanswered(error);
        throw error;
      });
      outcome.isUncertain = false;
      const done = results.filter(({ status }) => status < 300).map(({ index }) => part[index]);
      outcome.done.push(...done);
      outcome.changed.push(...(changed ?? done));
      for (const { index, status, errors } of results) {
        if (status >= 300)
          outcome.refused.push({ target: part[index], reason: reasonOf(status, errors, gone) });
      }
      hooks.onProgress();
      if (hooks.stopping.aborted) return;
    }
  };
}

function reasonOf(status: number, errors: Result['errors'], gone: string): string {
  if (status === 404) return gone;
  if (!errors) return 'cannot be deleted, because a table of the application still refers to it';
  return errors.map(({ field, message }) => `${field} ${message}`).join('; ');
}

/** What has become of the users, without a full stop. */
export function summaryOf({ targets, did }: Bulk, { done, refused, isUncertain }: Outcome): string {
  const hasEnded = done.length + refused.length === targets.length;
  const count = hasEnded ? usersIn(done) : `${formatCount(done.length)} of ${usersIn(targets)}`;
  const participle = did.split(' ')[0].toLowerCase();
  return [
    `${did} ${count}`,
    refused.length > 0 && `${formatCount(refused.length)} could not be ${participle}`,
    isUncertain && `some more may have been ${participle}`,
  ]
    .filter(Boolean)
    .join('; ');
}

export const usersIn = ({ length }: { length: number }) => countOf(length, 'user');
