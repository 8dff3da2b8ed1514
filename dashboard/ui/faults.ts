import { ApiError } from '../../client/index.ts';

export interface Fault {
  field: string;
  message: string;
}

/** Faults that the page detects itself. */
export class LocalFaults extends Error {
  constructor(readonly faults: Fault[]) {
    super('The form is invalid.');
  }
}

export const hasStatus = (error: unknown, status: number): error is ApiError =>
  error instanceof ApiError && error.status === status;

/** Whether a call has failed in a way that does not say whether the service has carried it out. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status < 400 || error.status >= 500 || error.code === 'idempotency_in_progress');

/** Whether somebody else has the value of this field. */
export const isTaken = (error: unknown, field: string): boolean =>
  hasStatus(error, 409) && error.errors.some((fault) => fault.field === field);
