import { Controller, Get, Header, Res, UseFilters } from '@nestjs/common';
import type { Response } from 'express';
import document from '../../openapi.json';
import { ErrorFilter } from '../http/error.filter';
import { type Document, type Page, render } from './page';

let rendered: Page | undefined;

@Controller()
@UseFilters(ErrorFilter)
export class DocsController {
  /** This document. */
  @Get('openapi.json')
  @Header('X-Content-Type-Options', 'nosniff')
  openapi(): object {
    return document;
  }

  /** This document, for people. */
  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('X-Content-Type-Options', 'nosniff')
  docs(@Res({ passthrough: true }) response: Response): string {
    rendered ??= render(document as unknown as Document);
    response.setHeader('Content-Security-Policy', rendered.policy);
    return rendered.html;
  }
}
