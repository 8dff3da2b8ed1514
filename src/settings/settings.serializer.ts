import { VERSION } from '../platform/feature/version';
import { webhookSettings } from '../webhooks/webhooks.options';
import type { SettingsOptions } from './settings.options';
import type { SettingsView } from './settings.view';

/** Picks what an admin of any organization may know: no secret, and nothing about networks or other organizations. */
export const serializeSettings = (options: SettingsOptions): SettingsView => ({
  version: VERSION,
  publicUrl: options.publicUrl ?? options.tokenIssuers?.audience ?? null,
  rateLimitPerMinute: options.rateLimitPerMinute,
  tokenMaxDays: options.tokenMaxDays ?? null,
  requireIfMatch: options.requireIfMatch,
  eventRetentionDays: options.eventRetentionDays,
  deletedUsersRetentionDays: options.deletedUsersRetentionDays,
  webhooks: webhookSettings(options).encryptionKey !== undefined,
});
