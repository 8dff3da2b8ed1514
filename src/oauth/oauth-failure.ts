import { HttpException } from '@nestjs/common';

/** The errors of RFC 6749, section 5.2, that the caller can mend. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unsupported_grant_type',
  'invalid_scope',
] as const;
export type OAuthError = (typeof OAUTH_ERRORS)[number];

/** A failure of the token endpoint. The description never repeats a value. */
export const oauthFailure = (keyword: OAuthError, description: string) =>
  new HttpException({ keyword, message: description }, keyword === 'invalid_client' ? 401 : 400);
