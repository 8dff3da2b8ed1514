import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Controller, Get, Header, NotFoundException, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import document from '../../openapi.json';
import { builtFile, isBuilt, NOT_BUILT } from '../http/built-file';
import { Responses } from '../http/responses';
import { NoQueryGuard } from '../http/input/no-query.guard';
import { Public } from '../http/scopes';

const PAGE = 'docs.html';

@Controller()
@Public()
@UseGuards(NoQueryGuard)
export class DocsController {
  private readonly page = isBuilt(PAGE) ? readFileSync(builtFile(PAGE), 'utf8') : undefined;
  private readonly policy = policyOf(this.page ?? '');

  /**
   * Get the OpenAPI document
   * @remarks Returns this document, for generators and other tools.
   */
  @Get('openapi.json')
  openapi(): object {
    return document;
  }

  /**
   * Get the API reference
   * @remarks Returns this document as a web page.
   */
  @Get('docs')
  @Responses({ mediaType: 'text/html' })
  @Header('Content-Type', 'text/html; charset=utf-8')
  docs(@Res({ passthrough: true }) response: Response): string {
    if (this.page === undefined) throw new NotFoundException(NOT_BUILT);
    response.setHeader('Content-Security-Policy', this.policy);
    return this.page;
  }
}

/** Allows the styles in the page, and neither scripts nor requests. */
function policyOf(page: string): string {
  const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
