import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import { mapGivingWay } from '../../platform/fairness/give-way';
import { DirectoryAttributes } from '../../users/query/directory-attributes';
import { isSame } from '../../users/user/user.changes';
import type { Resource, Value } from '../schema/resource';
import { ENTERPRISE_URN } from '../schema/user.schema';
import { ScimUser } from './scim-user.entity';
import type { StoredDirectoryUser } from './user-resource';

type Attributes = Record<string, Value>;
type Shown = Pick<StoredDirectoryUser, 'userName' | 'externalId' | 'attributes' | 'derived'>;

/** The attributes as the API shows them, those of the enterprise extension among the others; null if none is set. */
export function shownAttributes({ userName, externalId, attributes, derived }: Shown): Attributes | null {
  const { [ENTERPRISE_URN]: enterprise, ...core } = attributes;
  const shown: Attributes = {
    userName,
    ...(externalId !== null && { externalId }),
    ...core,
    ...(enterprise as Resource | undefined),
  };
  for (const name of derived) delete shown[name];
  return Object.keys(shown).length > 0 ? shown : null;
}

/** The former values of the attributes that a write changes, for its event; null for one that was not set. */
export function previousAttributes(before: Shown | null, after: Shown): { directory?: object } {
  const [old, now] = [before && shownAttributes(before), shownAttributes(after)].map((shown) => shown ?? {});
  const changed = Object.keys({ ...old, ...now }).filter(
    (name) => !isSame(old[name] ?? null, now[name] ?? null),
  );
  if (changed.length === 0) return {};
  return { directory: Object.fromEntries(changed.map((name) => [name, old[name] ?? null])) };
}

export type StoredText = Omit<Shown, 'attributes'> & { attributes: string };

const EXTENSION = `"${ENTERPRISE_URN}":`;

/**
 * The JSON of `shownAttributes()`. The stored text has nearly all of it, and the extension at its end. Parsed and
 * written again, a page of 50 users takes a tenth more CPU.
 */
export function shownText(row: StoredText): string {
  const { userName, externalId, attributes, derived } = row;
  const at = attributes.indexOf(EXTENSION);
  const core = attributes.slice(1, at < 0 ? -1 : at);
  const extension = at < 0 ? undefined : attributes.slice(at + EXTENSION.length, -1);
  if (derived.length > 0 || (extension !== undefined && !isWhole(extension)))
    return JSON.stringify(shownAttributes({ ...row, attributes: JSON.parse(attributes) as Resource }));
  const members = core + (extension?.slice(1, -1) ?? '');
  const names = JSON.stringify({ userName, ...(externalId !== null && { externalId }) });
  return members === '' ? names : `${names.slice(0, -1)},${members}}`;
}

/** Whether the text is an object that is not empty, and nothing behind it. */
function isWhole(text: string): boolean {
  try {
    return text !== '{}' && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

@Injectable()
export class ScimDirectoryAttributes extends DirectoryAttributes {
  async textsOf(
    manager: EntityManager,
    organizationId: string,
    ids: readonly string[],
    maxBytes?: number,
  ): Promise<Map<string, string | null>> {
    const attributes =
      maxBytes === undefined
        ? sql`attributes::text`
        : sql`CASE WHEN octet_length(attributes::text) <= ${maxBytes} THEN attributes::text END`;
    const rows = await query<StoredText & { id: string; attributes: string | null }>(
      manager,
      sql`SELECT id, user_name AS "userName", external_id AS "externalId", derived, ${attributes} AS attributes
          FROM unnest(${ids}::text[]) AS wanted (id), LATERAL (
            SELECT * FROM ${ScimUser} WHERE organization_id = ${organizationId} AND user_id = wanted.id OFFSET 0
          ) AS scim_users`,
    );
    const texts = new Map<string, string | null>(ids.map((id) => [id, 'null']));
    await mapGivingWay(rows, (row) => texts.set(row.id, row.attributes && shownText(row as StoredText)));
    return texts;
  }
}
