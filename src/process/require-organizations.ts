import type { INestApplicationContext } from '@nestjs/common';
import type { AdminRule } from './oidc/admin-rules';
import { SessionsService } from './sessions.service';

/** Throws if a rule of OIDC_ADMINS names an organization that does not exist. */
export async function requireOrganizations(
  app: INestApplicationContext,
  rules: readonly AdminRule[],
): Promise<void> {
  const ids = [...new Set(rules.map(({ organizationId }) => organizationId))];
  const missing = await app.get(SessionsService).missing(ids);
  if (missing.length === 0) return;
  throw new Error(
    `Invalid configuration:\n  OIDC_ADMINS names organizations that do not exist: ${missing.join(', ')}. See: ums organizations list`,
  );
}
