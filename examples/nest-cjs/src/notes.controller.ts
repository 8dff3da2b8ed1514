import { Body, Controller, Get, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { OrganizationId, Scopes } from 'user-management-service';
import { Note } from './note.entity';

@Controller('notes')
export class NotesController {
  constructor(@InjectRepository(Note) private readonly notes: Repository<Note>) {}

  @Get()
  @Scopes('users:read')
  list(@OrganizationId() organizationId: string) {
    return this.notes.findBy({ organizationId });
  }

  @Post()
  @Scopes('users:write')
  async create(@OrganizationId() organizationId: string, @Body('text') text: string) {
    await this.notes.insert({ organizationId, text });
  }
}
