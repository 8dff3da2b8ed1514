import type { INestApplicationContext } from '@nestjs/common';
import { Organization } from './organization.entity';
import { Database } from '../platform/database/database';
import { sql } from '../platform/database/sql';
import type { ClaimRule } from '../platform/issuers/claim-rules';

/** Throws if a rule of a variable names an organization that does not exist. */
export async function requireOrganizations(
  app: INestApplicationContext,
  rules: Readonly<Record<string, readonly ClaimRule[]>>,
): Promise<void> {
  const named = Object.entries(rules).map(
    ([variable, rules]) =>
      [variable, [...new Set(rules.map(({ organizationId }) => organizationId))]] as const,
  );
  const ids = named.flatMap(([, ids]) => ids);
  if (ids.length === 0) return;
  const found = await app
    .get(Database)
    .readAll<{ id: string }>(sql`SELECT id FROM ${Organization} WHERE id = ANY (${ids})`);
  const faults = named.flatMap(([variable, ids]) => {
    const missing = ids.filter((id) => !found.some((row) => row.id === id));
    if (missing.length === 0) return [];
    return `  ${variable} names organizations that do not exist: ${missing.join(', ')}. See: ums organizations list`;
  });
  if (faults.length > 0) throw new Error(`Invalid configuration:\n${faults.join('\n')}`);
}
