import { Delete, Get, HttpCode } from '@nestjs/common';
import { ApiController } from '../http/api-controller.decorator';
import { type Caller, CurrentCaller, CurrentToken, type CallerToken } from '../http/caller';
import { AnyToken } from '../http/scopes';
import { TokenView } from '../tokens/token.view';
import { TokensService } from '../tokens/tokens.service';

/** Lets a token read its own record, and revoke itself. */
@ApiController('v1/tokens', 'api/v1/tokens')
export class AuthController {
  constructor(private readonly tokens: TokensService) {}

  /**
   * Get the current token
   * @remarks Returns the record of the token that authenticates the request.
   */
  @Get('current')
  @AnyToken()
  current(@CurrentCaller() by: Caller, @CurrentToken() { id }: CallerToken): Promise<TokenView> {
    return this.tokens.get(by, id);
  }

  /**
   * Revoke the current token
   * @remarks Revokes the token that authenticates the request: its next request is a 401.
   */
  @Delete('current')
  @AnyToken()
  @HttpCode(204)
  revokeCurrent(@CurrentCaller() by: Caller, @CurrentToken() { id }: CallerToken): Promise<void> {
    return this.tokens.revoke(by, id);
  }
}
