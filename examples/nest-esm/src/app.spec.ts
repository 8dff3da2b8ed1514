import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { type App } from 'supertest/types.js';
import { DataSource } from 'typeorm';
import { OrganizationsService, TokensService } from 'user-management-service';
import { embeddedDatabase } from 'user-management-service/testing';
import { AppModule } from './app.module.js';
import { Note } from './note.entity.js';

describe('The application on the embedded database', () => {
  let app: INestApplication<App>;

  beforeAll(async () => {
    const openDatabase = async () =>
      new DataSource({ ...(await embeddedDatabase()), entities: [Note], synchronize: true }).initialize();
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(DataSource)
      .useFactory({ factory: openDatabase })
      .compile();
    app = module.createNestApplication();
    await app.init();
  }, 120_000);

  afterAll(() => app.close());

  it('keeps the notes of organizations apart', async () => {
    const clientOf = async (name: string) => {
      const { id } = await app.get(OrganizationsService).create(name);
      const { value } = await app.get(TokensService).create(id, { name: 'Test', scopes: ['admin'] });
      return request.agent(app.getHttpServer()).auth(value, { type: 'bearer' });
    };
    const [acme, other] = [await clientOf('Acme'), await clientOf('Other')];

    await acme.post('/notes').send({ text: 'A note' }).expect(201);

    const { body } = await acme.get('/notes').expect(200);
    expect(body).toMatchObject([{ text: 'A note' }]);
    await other.get('/notes').expect(200, []);
    await request(app.getHttpServer()).get('/notes').expect(401);
  });
});
