import { HttpException } from '@nestjs/common';

/** The errors of RFC 6749, section 5.2, that the caller can mend. */
export type OAuthError =
  'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type' | 'invalid_scope';

/** A failure of the token endpoint. The description never repeats a value. */
export const oauthFailure = (oauthError: OAuthError, description: string) =>
  new HttpException({ oauthError, message: description }, oauthError === 'invalid_client' ? 401 : 400);
