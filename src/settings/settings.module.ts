import { Module } from '@nestjs/common';
import type { Feature } from '../platform/feature/feature';
import { SettingsController } from './settings.controller';

@Module({ controllers: [SettingsController] })
export class SettingsModule {
  static readonly feature: Feature = {
    personal: [],
    tags: [{ name: 'Settings', description: 'What the operator has set.' }],
  };
}
