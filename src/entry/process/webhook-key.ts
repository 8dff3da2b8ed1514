import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseConfig } from '../../platform/database/data-source';
import { isKeyList, newKey } from '../../webhooks/secrets/key-ring';

/** The name of the file in the folder of the embedded database. */
const KEY_FILE = 'webhook-key';

/** The keys that encrypt the secrets of webhooks: from the environment, or generated for the embedded database. */
export function webhookKey(given: string | undefined, { databaseUrl, dataDir }: DatabaseConfig) {
  if (given !== undefined || databaseUrl !== undefined) return given;
  const path = join(dataDir, KEY_FILE);
  // No other process uses the folder.
  if (!existsSync(path)) writeFileSync(path, newKey(), { flag: 'wx', mode: 0o600 });
  const key = readFileSync(path, 'utf8').trim();
  if (!isKeyList(key)) throw new Error(`${path} must have 32 bytes in base64. Restore it from a backup.`);
  return key;
}
