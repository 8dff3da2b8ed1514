import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { getRepositoryToken } from '@nestjs/typeorm';
import request from 'supertest';
import { type App } from 'supertest/types.js';
import { TokenGuard } from 'user-management-service';
import { asToken } from 'user-management-service/testing';
import { Note } from './note.entity.js';
import { NotesController } from './notes.controller.js';

describe('NotesController', () => {
  const notes = { findBy: (where: Partial<Note>) => [{ ...where, text: 'A note' }] };
  let app: INestApplication<App>;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      controllers: [NotesController],
      providers: [{ provide: getRepositoryToken(Note), useValue: notes }],
    })
      .overrideGuard(TokenGuard)
      .useValue(asToken({ organizationId: 'org_1', scopes: ['users:read'] }))
      .compile();
    app = module.createNestApplication();
    await app.init();
  });

  afterAll(() => app.close());

  it("lists the notes of the token's organization", () =>
    request(app.getHttpServer())
      .get('/notes')
      .expect(200, [{ organizationId: 'org_1', text: 'A note' }]));

  it('refuses a token that lacks the scope', () =>
    request(app.getHttpServer()).post('/notes').send({ text: 'Another' }).expect(403));
});
