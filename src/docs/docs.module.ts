import { Module } from '@nestjs/common';
import type { Feature } from '../platform/feature/feature';
import { DocsController } from './docs.controller';

@Module({ controllers: [DocsController] })
export class DocsModule {
  static readonly feature: Feature = {
    personal: [],
    tags: [{ name: 'Docs', description: 'This document, for programs and for people.' }],
  };
}
