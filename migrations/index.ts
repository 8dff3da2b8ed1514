import { CreateTables1763600000000 } from './1763600000000-create-tables';
import { CreateSearch1763600000001 } from './1763600000001-create-search';
import { CreateSortIn1763600000002 } from './1763600000002-create-sort-in';
import { CreateUserSearch1763700000000 } from './1763700000000-create-user-search';
import { FillUserSearch1763700000001 } from './1763700000001-fill-user-search';
import { DropFormerSearch1763700000002 } from './1763700000002-drop-former-search';
import { IndexUsers1763700000003 } from './1763700000003-index-users';
import { AddExternalId1763800000000 } from './1763800000000-add-external-id';
import { AddVersion1763800000001 } from './1763800000001-add-version';
import { CreateIdempotencyKeys1763800000002 } from './1763800000002-create-idempotency-keys';
import { WindowByOrganization1763900000000 } from './1763900000000-window-by-organization';
import { CreateEvents1763900000001 } from './1763900000001-create-events';
import { CreateSubscribers1763900000002 } from './1763900000002-create-subscribers';
import { CreateDeletedUsers1764000000000 } from './1764000000000-create-deleted-users';
import { LeaseIdempotencyKeys1764000000001 } from './1764000000001-lease-idempotency-keys';
import { TokenLife1764000000002 } from './1764000000002-token-life';
import { DropLeakReporters1764000000003 } from './1764000000003-drop-leak-reporters';

/** Every migration, oldest first. */
export const migrations = [
  CreateTables1763600000000,
  CreateSearch1763600000001,
  CreateSortIn1763600000002,
  CreateUserSearch1763700000000,
  FillUserSearch1763700000001,
  DropFormerSearch1763700000002,
  IndexUsers1763700000003,
  AddExternalId1763800000000,
  AddVersion1763800000001,
  CreateIdempotencyKeys1763800000002,
  WindowByOrganization1763900000000,
  CreateEvents1763900000001,
  CreateSubscribers1763900000002,
  CreateDeletedUsers1764000000000,
  LeaseIdempotencyKeys1764000000001,
  TokenLife1764000000002,
  DropLeakReporters1764000000003,
];
