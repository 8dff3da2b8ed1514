import { Controller, Get, Header, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import document from '../../openapi.json';
import { Answers } from '../http/answers';
import { NoQueryGuard } from '../http/input/no-query.guard';
import { Public } from '../http/scopes';
import type { Document } from './document';
import { type Page, render } from './page';

let rendered: Page | undefined;

@Controller()
@Public()
@UseGuards(NoQueryGuard)
export class DocsController {
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
  @Answers({ mediaType: 'text/html' })
  @Header('Content-Type', 'text/html; charset=utf-8')
  docs(@Res({ passthrough: true }) response: Response): string {
    rendered ??= render(document as unknown as Document);
    response.setHeader('Content-Security-Policy', rendered.policy);
    return rendered.html;
  }
}
