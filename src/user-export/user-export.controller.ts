import { Get, Param, Req, type StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../platform/http/caller';
import { download } from './download';
import { Responses } from '../platform/http/responses';
import { Scopes } from '../platform/http/scopes';
import { UserExportService } from './user-export.service';
import { UserExportView } from './user-export.view';

@ApiController('api/v1/users')
export class UserExportController {
  constructor(private readonly exports: UserExportService) {}

  /**
   * Export all data of a user
   * @remarks Returns everything that the service stores about a user as one document, for a person who asks for their
   * data. It is sent while it is read: if the connection breaks, the document is incomplete.
   */
  @Get(':id/export')
  @Scopes('admin')
  @Responses({ headers: ['Content-Disposition'], view: UserExportView })
  async export(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Req() request: Request,
  ): Promise<StreamableFile> {
    const nextText = await this.exports.export(by, id);
    return download(request, { name: `${id}.json`, type: 'application/json; charset=utf-8', nextText });
  }
}
