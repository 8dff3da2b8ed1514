import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { judgeOrThrow } from '../http/input/judge';
import { newId } from '../database/id';
import { CreateOrganizationDto } from './organizations.dto';
import { Organization } from './organization.entity';

/** Its methods take no caller: a caller belongs to an organization, and these come before one. */
@Injectable()
export class OrganizationsService {
  constructor(
    @InjectRepository(Organization, DATABASE) private readonly organizations: Repository<Organization>,
  ) {}

  /** Oldest first. */
  list(): Promise<Organization[]> {
    return this.organizations.find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async create(name: string): Promise<Pick<Organization, 'id' | 'name'>> {
    const organization = { id: newId('org'), ...judgeOrThrow(CreateOrganizationDto, { name }) };
    await this.organizations.createQueryBuilder().insert().values(organization).updateEntity(false).execute();
    return organization;
  }
}
