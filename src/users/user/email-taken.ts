import type { Fault } from '../../http/fault';

export const EMAIL_TAKEN: Fault = {
  field: 'email',
  code: 'taken',
  message: 'is already used by another user of the organization',
};
