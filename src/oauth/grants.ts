import { ClientCredentialsGrant } from './client-credentials.grant';
import type { TokenGrantType } from './grant';
import { JwtBearerGrant } from './jwt-bearer.grant';

/** All grants of the token endpoint. */
export const GRANTS = [ClientCredentialsGrant, JwtBearerGrant] as const satisfies readonly TokenGrantType[];

/** A field of a token request. Others are ignored, as RFC 6749 has it. */
export type TokenField = 'grant_type' | 'scope' | (typeof GRANTS)[number]['fields'][number];

export const TOKEN_FIELDS: readonly TokenField[] = [
  'grant_type',
  'scope',
  ...GRANTS.flatMap(({ fields }) => [...fields]),
];
