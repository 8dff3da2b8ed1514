import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../background/background';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { deletePart } from './organization-deletion';
import { Organization } from './organization.entity';

const EVERY_MS = 60_000;

/** Finishes deletions of organizations whose process has ended, or whose database has failed. */
@Injectable()
export class OrganizationDeletions implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const task = {
      name: 'finish the deletion',
      organizations: (after: string, limit: number) => sql`
        SELECT id FROM ${Organization} WHERE is_deleting AND id > ${after} ORDER BY id LIMIT ${limit}`,
      part: (organizationId: string) => deletePart(this.database, organizationId),
    };
    this.background.add({
      name: 'finish deletions of organizations',
      everyMs: EVERY_MS,
      run: (signal) => this.background.forEachOrganization(task, signal),
    });
  }
}
