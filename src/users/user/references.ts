import { conflict, type Fault } from '../../platform/http/fault';

/** The fault of a user as a whole, to whom a row of a host's table refers. */
export const REFERENCED: Fault = {
  field: 'body',
  code: 'invalid',
  message: 'cannot be deleted, because a table of the application still refers to it',
};

export const userReferenced = () => conflict(`The user ${REFERENCED.message}.`);
