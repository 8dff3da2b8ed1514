import { CreateOrganizations1764100000000 } from './1764100000000-create-organizations';
import { CreateUsers1764100000001 } from './1764100000001-create-users';
import { CreateSearch1764100000002 } from './1764100000002-create-search';
import { CreateRateLimits1764100000003 } from './1764100000003-create-rate-limits';
import { CreateIdempotencyKeys1764100000004 } from './1764100000004-create-idempotency-keys';
import { CreateEvents1764100000005 } from './1764100000005-create-events';
import { AddActive1764200000000 } from './1764200000000-add-active';
import { IndexActive1764200000001 } from './1764200000001-index-active';
import { AddTokenLimits1764200000002 } from './1764200000002-add-token-limits';
import { CreateScimUsers1764200000010 } from './1764200000010-create-scim-users';
import { IndexUserNames1764200000011 } from './1764200000011-index-user-names';
import { CreateGroups1764200000020 } from './1764200000020-create-groups';
import { CreateWebhooks1764200000030 } from './1764200000030-create-webhooks';
import { IndexUserSamples1764200000040 } from './1764200000040-index-user-samples';
import { IndexMemberEvents1764200000041 } from './1764200000041-index-member-events';
import { CreateSignInRounds1764200000050 } from './1764200000050-create-sign-in-rounds';
import { DropUserSamples1764200000060 } from './1764200000060-drop-user-samples';
import { DropVocabularies1764200000061 } from './1764200000061-drop-vocabularies';
import { AddClaimTimes1764200000062 } from './1764200000062-add-claim-times';
import { AddTokenParents1764200000063 } from './1764200000063-add-token-parents';
import { IndexTokenParents1764200000064 } from './1764200000064-index-token-parents';
import { AddOrganizationStates1764200000070 } from './1764200000070-add-organization-states';
import { IndexOrganizations1764200000071 } from './1764200000071-index-organizations';
import { AddExternalIds1764200000080 } from './1764200000080-add-external-ids';
import { IndexExternalIds1764200000081 } from './1764200000081-index-external-ids';
import { AddDerivedAttributes1764200000090 } from './1764200000090-add-derived-attributes';
import { AddTokenNetworks1764200000100 } from './1764200000100-add-token-networks';
import { AddOnBehalfOf1764200000101 } from './1764200000101-add-on-behalf-of';
import { AddDeliveryErrors1764200000102 } from './1764200000102-add-delivery-errors';

/** Every migration, oldest first. */
export const migrations = [
  CreateOrganizations1764100000000,
  CreateUsers1764100000001,
  CreateSearch1764100000002,
  CreateRateLimits1764100000003,
  CreateIdempotencyKeys1764100000004,
  CreateEvents1764100000005,
  AddActive1764200000000,
  IndexActive1764200000001,
  AddTokenLimits1764200000002,
  CreateScimUsers1764200000010,
  IndexUserNames1764200000011,
  CreateGroups1764200000020,
  CreateWebhooks1764200000030,
  IndexUserSamples1764200000040,
  IndexMemberEvents1764200000041,
  CreateSignInRounds1764200000050,
  DropUserSamples1764200000060,
  DropVocabularies1764200000061,
  AddClaimTimes1764200000062,
  AddTokenParents1764200000063,
  IndexTokenParents1764200000064,
  AddOrganizationStates1764200000070,
  IndexOrganizations1764200000071,
  AddExternalIds1764200000080,
  IndexExternalIds1764200000081,
  AddDerivedAttributes1764200000090,
  AddTokenNetworks1764200000100,
  AddOnBehalfOf1764200000101,
  AddDeliveryErrors1764200000102,
];
