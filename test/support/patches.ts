import { applyPatch } from '../../src/scim/patch/patch';
import { ENTERPRISE_URN as EXT, USER } from '../../src/scim/schema/user.schema';
import type { Complex } from '../../src/scim/schema/resource';

export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The attributes of a user, which a directory changes. */
export const ADA = {
  userName: 'ada',
  active: true,
  displayName: 'Ada L.',
  title: 'Countess',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@work.co', type: 'work', primary: true },
    { value: 'ada@home.co', type: 'home' },
  ],
  roles: [{ value: 'member', primary: true }],
  [EXT]: { employeeNumber: '7', manager: { value: 'm1' } },
};

/** The attributes of ADA after a PATCH with the body. */
export function patched(body: unknown): Complex {
  const steps = applyPatch(USER, ADA as unknown as Complex, body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The attributes of ADA after the operations. */
export const patch = (...operations: unknown[]) => patched({ schemas: [PATCH_OP], Operations: operations });
