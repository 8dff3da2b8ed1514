import { CreateOrganizations1764100000000 } from './1764100000000-create-organizations';
import { CreateUsers1764100000001 } from './1764100000001-create-users';
import { CreateSearch1764100000002 } from './1764100000002-create-search';
import { CreateRateLimits1764100000003 } from './1764100000003-create-rate-limits';
import { CreateIdempotencyKeys1764100000004 } from './1764100000004-create-idempotency-keys';
import { CreateEvents1764100000005 } from './1764100000005-create-events';

/** Every migration, oldest first. */
export const migrations = [
  CreateOrganizations1764100000000,
  CreateUsers1764100000001,
  CreateSearch1764100000002,
  CreateRateLimits1764100000003,
  CreateIdempotencyKeys1764100000004,
  CreateEvents1764100000005,
];
