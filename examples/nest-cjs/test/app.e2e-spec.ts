import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { type App } from 'supertest/types';
import { OrganizationsService, TokensService } from 'user-management-service';
import { AppModule } from '../src/app.module';

describe('A new CommonJS Nest application with the service in it', () => {
  let app: INestApplication<App>;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication();
    await app.init();
  });

  afterAll(() => app.close());

  it('serves its own route', () => request(app.getHttpServer()).get('/').expect(200, 'Hello World!'));

  it('serves the API beside it', async () => {
    const { id } = await app.get(OrganizationsService).create('Acme');
    const { value } = await app.get(TokensService).create(id, { name: 'Test', scopes: ['admin'] });
    const api = request.agent(app.getHttpServer()).auth(value, { type: 'bearer' });

    await api.post('/api/v1/users').send({ name: 'Ada Lovelace', email: 'ada@example.com' }).expect(201);
    const { body } = await api.get('/api/v1/users').expect(200);

    expect(body.data).toMatchObject([{ name: 'Ada Lovelace', email: 'ada@example.com' }]);
    await request(app.getHttpServer()).get('/api/v1/users').expect(401);
  });
});
