import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns';
import { Database } from '../../platform/database/database';
import { execute, query, sql } from '../../platform/database/sql';
import { unavailable } from '../../platform/http/fault';
import { KeyRing } from '../secrets/key-ring';
import { Webhook } from './webhook.entity';

const SECRET_BYTES = 32;

/** The part of a row that has its secrets. */
export interface SealedSecrets extends Pick<Webhook, 'organizationId' | 'id' | 'secret' | 'previousSecret'> {
  /** Whether the previous one still signs; null if there has been none. */
  isOverlapping: boolean | null;
}

/** Its columns in a SELECT, beside the id. */
export const SECRET_COLUMNS = sql`${columnsOf(Webhook, ['organizationId', 'secret', 'previousSecret']).select},
  previous_until > now() AS "isOverlapping"`;

/** Creates and reads the secrets of webhooks, which are encrypted in the database. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** A new secret, as its owner sees it once and as it is stored. Throws a 503 if there is no key for that. */
  new(organizationId: string, id: string): { shown: string; sealed: string } {
    if (this.keys.currentId === undefined)
      throw unavailable(
        'Secrets of webhooks cannot be encrypted: the operators of this service have not set WEBHOOK_ENCRYPTION_KEY.',
      );
    const secret = randomBytes(SECRET_BYTES);
    const sealed = this.keys.seal(secret, ownerOf(organizationId, id));
    return { shown: `whsec_${secret.toString('base64')}`, sealed };
  }

  /** The secrets that sign now. Throws if a key is missing. */
  open({ organizationId, id, secret, previousSecret, isOverlapping }: SealedSecrets): Buffer[] {
    const sealed = isOverlapping && previousSecret !== null ? [secret, previousSecret] : [secret];
    return sealed.map((one) => this.keys.open(one, ownerOf(organizationId, id)));
  }

  /** Encrypts all signing secrets with the current key, erases the others, and counts the changed webhooks. */
  async rewrap(): Promise<number> {
    const current = this.keys.currentId;
    if (current === undefined) throw new Error('WEBHOOK_ENCRYPTION_KEY is not set.');
    const rows = await this.database.readAll<SealedSecrets>(sql`
      SELECT id, ${SECRET_COLUMNS} FROM ${Webhook}
      WHERE secret NOT LIKE ${`${current}.%`} OR previous_secret NOT LIKE ${`${current}.%`}`);
    for (const row of rows) await this.rewrapOne(row);
    return rows.length;
  }

  private rewrapOne({ organizationId, id }: SealedSecrets): Promise<void> {
    return this.database.write(organizationId, async (manager) => {
      const [row] = await query<SealedSecrets>(
        manager,
        sql`SELECT id, ${SECRET_COLUMNS} FROM ${Webhook}
            WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`,
      );
      if (!row) return;
      const [secret, previous = null] = this.open(row).map((one) =>
        this.keys.seal(one, ownerOf(organizationId, id)),
      );
      await execute(
        manager,
        sql`UPDATE ${Webhook} SET secret = ${secret}, previous_secret = ${previous}
            WHERE organization_id = ${organizationId} AND id = ${id}`,
      );
    });
  }
}

const ownerOf = (organizationId: string, id: string) => `${organizationId} ${id}`;
