import { Controller, Get, NotFoundException, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import document from '../../openapi.json';
import {
  builtNames,
  fileOf,
  isBuilt,
  NOT_BUILT,
  pageHeaders,
  readBuilt,
  sendFile,
} from '../platform/http/built-file';
import { NoQueryGuard } from '../platform/http/input/no-query.guard';
import { NO_ROUTE } from '../platform/http/problem';
import { Responses } from '../platform/http/responses';
import { Public } from '../platform/http/scopes';

const INDEX = 'docs/index.html';

/** Callers keep the files, and ask each time whether they are still the same. */
const CACHING = { 'Cache-Control': 'no-cache' };

const HEADERS = { ...CACHING, ...pageHeaders("'none'") };

@Controller()
@Public()
@UseGuards(NoQueryGuard)
export class DocsController {
  private readonly document = isBuilt('docs/openapi.json')
    ? readBuilt('docs/openapi.json', CACHING)
    : fileOf('openapi.json', Buffer.from(JSON.stringify(document)), CACHING);
  private readonly page = isBuilt(INDEX) ? readBuilt(INDEX, HEADERS) : undefined;
  /** Swagger UI with its licence, and our own. */
  private readonly files = new Map(
    builtNames('docs/docs', INDEX).map((name) => [name, readBuilt(`docs/docs/${name}`, HEADERS)]),
  );

  /**
   * Get the OpenAPI document
   * @remarks Returns this document, for generators and other tools.
   */
  @Get('openapi.json')
  @Responses({ mediaType: 'application/json', headers: ['ETag'], conditions: ['If-None-Match'] })
  openapi(@Req() request: Request, @Res() response: Response): void {
    sendFile(request, response, this.document);
  }

  /**
   * Get the API reference
   * @remarks Returns a web page that shows this document and sends requests: Swagger UI.
   */
  @Get('docs')
  @Responses({ mediaType: 'text/html', headers: ['ETag'], conditions: ['If-None-Match'] })
  docs(@Req() request: Request, @Res() response: Response): void {
    if (!this.page) throw new NotFoundException(NOT_BUILT);
    sendFile(request, response, this.page);
  }

  @Get('docs/:file')
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): void {
    const file = this.files.get(name);
    if (!file) throw new NotFoundException(NO_ROUTE);
    sendFile(request, response, file);
  }
}
