import { ConflictException } from '@nestjs/common';
import { violates } from '../../platform/database/errors';
import { retry } from '../../platform/database/retry';
import { type Fault, taken } from '../../platform/http/fault';

export const EMAIL_TAKEN: Fault = {
  field: 'email',
  code: 'taken',
  message: 'is already used by another user of the organization',
};

/** A user without a user name has its email as user name. */
export const USER_NAME_TAKEN: Fault = {
  field: 'email',
  code: 'taken',
  message: 'is already the user name of another user of the organization',
};

export const EXTERNAL_ID_TAKEN: Fault = {
  field: 'externalId',
  code: 'taken',
  message: 'is already used by another user of the organization',
};

/** The unique constraints of `users`, with the 409s that a caller gets. */
export const UNIQUE_FIELDS = {
  users_organization_id_email_key_key: () => taken(EMAIL_TAKEN),
  users_organization_id_user_name_key: () => taken(USER_NAME_TAKEN),
  users_organization_id_external_id_key: () => taken(EXTERNAL_ID_TAKEN),
};

/** Whether another user has a unique value that a statement was about to write. */
export const lostRace = (error: unknown): boolean =>
  Object.keys(UNIQUE_FIELDS).some((constraint) => violates(error, constraint));

/** No attempt is made after this time, because other requests may keep writing the same users. */
const RETRY_BUDGET_MS = 20_000;

/** Repeats a write that has lost a race to another request, so that it finds what that one has written. */
export function retryLostRaces<Result>(
  run: () => Promise<Result>,
  isLostRace: (error: unknown) => boolean,
): Promise<Result> {
  const deadline = performance.now() + RETRY_BUDGET_MS;
  return retry(run, isLostRace, (failures) => {
    const pauseMs = Math.random() * failures * 10;
    return performance.now() + pauseMs < deadline ? pauseMs : undefined;
  });
}

/** Whether the error is the 409 with this fault. */
export const isTaken = (error: unknown, fault: Fault): boolean =>
  error instanceof ConflictException && (error.getResponse() as { errors?: Fault[] }).errors?.[0] === fault;
