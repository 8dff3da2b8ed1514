import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { validInput } from '../http/validation.pipe';
import { newId } from '../id';
import { CreateOrganizationDto } from './organizations.dto';
import { Organization } from './organization.entity';

@Injectable()
export class OrganizationsService {
  constructor(@InjectRepository(Organization) private readonly organizations: Repository<Organization>) {}

  /** Oldest first. */
  list(): Promise<Organization[]> {
    return this.organizations.find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async create(name: string): Promise<Pick<Organization, 'id' | 'name'>> {
    const organization = { id: newId('org'), ...validInput(CreateOrganizationDto, { name }) };
    await this.organizations.createQueryBuilder().insert().values(organization).updateEntity(false).execute();
    return organization;
  }
}
