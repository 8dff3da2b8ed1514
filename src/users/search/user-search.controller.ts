import { Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Responses } from '../../platform/http/responses';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../../platform/http/caller';
import { Scopes } from '../../platform/http/scopes';
import { linkNext, writePage } from '../../platform/pages/page';
import { userToJson } from '../user/user.serializer';
import { UserPageView } from '../user/user.view';
import { SearchUsersDto } from './user-search.dto';
import { UserSearch } from './user-search.service';

@ApiController('api/v1/users')
export class UserSearchController {
  constructor(private readonly userSearch: UserSearch) {}

  /**
   * Search users
   * @remarks Finds users by words of their name, email and metadata; letter case and accents are ignored. The best
   * matches come first. A whole email or id finds that user alone. If nothing matches, words of four or more letters
   * may contain a typo.
   */
  @Get('search')
  @Scopes('users:read')
  @Responses({ headers: ['Link'], view: UserPageView })
  async search(
    @CurrentCaller() by: Caller,
    @Query() query: SearchUsersDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    // As text, like the list.
    const page = await this.userSearch.searchAsText(by, query);
    linkNext(request, response, page);
    return writePage(response, page, userToJson);
  }
}
