import { Module } from '@nestjs/common';
import { Background } from './background';

@Module({ providers: [Background], exports: [Background] })
export class BackgroundModule {}
