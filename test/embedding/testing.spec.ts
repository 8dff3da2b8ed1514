/**
 * @slow it starts host applications
 * @only embedded postgres: its database is an embedded one
 */
import { Controller, Get, type INestApplication, Module, Post, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { PGlite } from '@electric-sql/pglite';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import request from 'supertest';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import {
  AnyToken,
  type Caller,
  type CallerToken,
  CurrentCaller,
  CurrentToken,
  OrganizationId,
  OrganizationsService,
  Scopes,
  TokenGuard,
  TokensService,
  UserManagementModule,
} from '../../src';
import { asToken, embeddedDatabase, type TestToken } from '../../src/entry/testing';
import { OPTIONS } from '../support/embedding';

@Controller('reports')
class ReportsController {
  @Get('organization')
  @Scopes('users:read')
  organization(@OrganizationId() organizationId: string) {
    return { organizationId };
  }

  @Get('token')
  @AnyToken()
  token(@CurrentToken() token: CallerToken) {
    return token;
  }

  @Post('caller')
  @AnyToken()
  caller(@CurrentCaller() by: Caller) {
    return by;
  }

  @Post()
  @Scopes('users:write')
  create() {}
}

const started: INestApplication[] = [];
afterEach(async () => {
  for (const app of started.splice(0)) await app.close();
});

async function start(app: INestApplication) {
  started.push(app);
  await app.init();
  return request(app.getHttpServer());
}

describe('asToken()', () => {
  const routesAs = async (token: TestToken) => {
    const module = await Test.createTestingModule({ controllers: [ReportsController] })
      .overrideGuard(TokenGuard)
      .useValue(asToken(token))
      .compile();
    return start(module.createNestApplication({ logger: false }));
  };

  it('makes every request come from the token, without a database', async () => {
    const expiresAt = new Date();
    const routes = await routesAs({ organizationId: 'org_1', scopes: ['users:read'], name: 'CI', expiresAt });
    await routes.get('/reports/organization').expect(200, { organizationId: 'org_1' });
    const { body: token, headers } = await routes.get('/reports/token').expect(200);
    expect(token).toMatchObject({ organizationId: 'org_1', name: 'CI', scopes: ['users:read'] });
    expect(headers['x-token-expires-at']).toBe(expiresAt.toISOString());
    const { body: caller } = await routes.post('/reports/caller').set('X-On-Behalf-Of', 'ada').expect(201);
    expect(caller).toMatchObject({
      organizationId: 'org_1',
      actor: { type: 'token', id: token.id, name: 'CI' },
      source: 'api',
      onBehalfOf: 'ada',
    });
  });

  it('refuses what the token may not do', async () => {
    const reader = await routesAs({ organizationId: 'org_1', scopes: ['users:read'] });
    const { body } = await reader.post('/reports').expect(403);
    expect(body.code).toBe('insufficient_scope');
    const admin = await routesAs({ organizationId: 'org_1', scopes: ['admin'] });
    await admin.post('/reports').expect(201);
  });
});

/** With the name of a table of the service, and columns that need extensions. */
@Entity('users')
class User {
  @PrimaryGeneratedColumn('uuid')
  id: string;

  @Column('citext')
  login: string;
}

@Controller('users')
class UsersController {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  @Post()
  async create() {
    await this.users.insert({ login: 'Ada' });
    return this.users.findBy({ login: 'ada' });
  }
}

/** What every application has that these tests start. */
const application = (database: ReturnType<typeof TypeOrmModule.forRootAsync>): Type => {
  @Module({
    imports: [database, TypeOrmModule.forFeature([User]), UserManagementModule.forRoot(OPTIONS)],
    controllers: [ReportsController, UsersController],
  })
  class AppModule {}
  return AppModule;
};

const settings = { entities: [User], synchronize: true };

describe('embeddedDatabase()', () => {
  it('is the database of an application, and ends with it', async () => {
    const create = jest.spyOn(PGlite, 'create');
    const database = TypeOrmModule.forRootAsync({
      useFactory: async () => ({ ...(await embeddedDatabase()), ...settings }),
    });
    const module = await Test.createTestingModule({ imports: [application(database)] }).compile();
    const app = module.createNestApplication({ logger: false });
    const routes = await start(app);
    const { body: users } = await routes.post('/users').expect(201);
    expect(users).toMatchObject([{ login: 'Ada' }]);

    const { id } = await app.get(OrganizationsService).create('Acme');
    const { value } = await app.get(TokensService).create(id, { name: 'Test', scopes: ['users:read'] });
    const reader = request.agent(app.getHttpServer()).auth(value, { type: 'bearer' });
    await reader.get('/internal/api/v1/users').expect(200, { data: [], nextCursor: null });
    await reader.get('/reports/organization').expect(200, { organizationId: id });
    const { body, headers } = await reader.post('/reports').expect(403);

    const test = await Test.createTestingModule({ controllers: [ReportsController] })
      .overrideGuard(TokenGuard)
      .useValue(asToken({ organizationId: id, scopes: ['users:read'] }))
      .compile();
    const refused = await (await start(test.createNestApplication({ logger: false }))).post('/reports');
    expect(refused).toMatchObject({ status: 403, body });
    expect(refused.headers['www-authenticate']).toBe(headers['www-authenticate']);

    const pglite = await create.mock.results[0].value;
    expect(pglite.closed).toBe(false);
    await app.close();
    expect(pglite.closed).toBe(true);
  });

  it('takes the place of the database of an application', async () => {
    const server = TypeOrmModule.forRoot({
      type: 'postgres',
      url: 'postgres://nowhere.invalid',
      ...settings,
    });
    const module = await Test.createTestingModule({ imports: [application(server)] })
      .overrideProvider(DataSource)
      .useFactory({
        factory: async () => new DataSource({ ...(await embeddedDatabase()), ...settings }).initialize(),
      })
      .compile();
    const routes = await start(module.createNestApplication({ logger: false }));
    await routes.post('/users').expect(201);
    await routes.get('/reports/token').expect(401);
  });

  it('says what to install', async () => {
    const hooks = `export const resolve = async (name, context, next) => {
      if (!name.startsWith('@electric-sql/')) return next(name, context);
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    };`;
    const script = `require('node:module').register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});
      require('./dist/src/entry/testing').embeddedDatabase().catch(({ message }) => console.log(message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
    expect(stdout).toBe(
      'The embedded database is not installed. Run npm install --save-dev @electric-sql/pglite.\n',
    );
  });
});
