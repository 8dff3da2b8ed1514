import {
  All,
  type ArgumentsHost,
  Body,
  type CanActivate,
  Catch,
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Next,
  Param,
  Post,
  RequestMethod,
  type Type,
  ValidationPipe,
  Version,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SkipThrottle, Throttle, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { getDataSourceToken, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { IsString, Length } from 'class-validator';
import type { NextFunction, Request, Response } from 'express';
import type { AddressInfo } from 'node:net';
import { map, type Observable } from 'rxjs';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { readConfig } from '../../src/entry/process/config';
import { openDatabase } from '../../src/platform/database/data-source';
import { Database } from '../../src/platform/database/database';
import { Mount } from '../../src/entry/embedding/mount';
import {
  AnyToken,
  type Caller,
  type CallerToken,
  CurrentCaller,
  CurrentToken,
  OrganizationId,
  Scopes,
} from '../../src';
import { emptyDatabase } from './database';
import { lengthenLimits, type TestServiceOptions, timeoutsOf } from './defaults';

/** A user of the application, with the same class and table name as the service's. */
@Entity('users')
export class User {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  login: string;
}

class NewPerson {
  @IsString()
  @Length(2, 10)
  login: string;
}

@Controller()
class HostController {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  @Get('users')
  list() {
    return this.users.find();
  }

  @Post('users')
  async create(@Body() { login }: NewPerson) {
    await this.users.insert({ login });
    return { login };
  }

  @Post('echo')
  echo(@Body() body: object) {
    return body;
  }

  @Get('boom')
  boom() {
    throw new Error('secret');
  }

  @Get('seldom')
  @Throttle({ default: { limit: 2, ttl: 60_000 } })
  seldom() {
    return 'seldom';
  }

  // A route of the application below a path of the service.
  @Get('internal/api/v1/users/:id/avatar')
  avatar(@Param('id') id: string) {
    return { avatar: id };
  }

  @Get('internal/dashboard/mine')
  @Version(VERSION_NEUTRAL)
  dashboard() {
    return 'mine';
  }
}

/** Routes of the application that require a token of the service. */
@Controller('reports')
@SkipThrottle() // skips the application's own throttler
class ReportsController {
  @Get()
  @Scopes('users:read')
  list(@OrganizationId() organizationId: string) {
    return { organizationId };
  }

  @Get('mine')
  @AnyToken()
  mine(@CurrentToken() { id }: CallerToken) {
    return { id };
  }
}

/** Scopes on the class and on a method: the method's hold, and the request counts once. */
@Controller('audits')
@Scopes('admin')
@SkipThrottle()
export class AuditsController {
  @Get()
  @Scopes('users:read')
  list(@CurrentCaller() by: Caller) {
    return by;
  }

  @Post()
  @Scopes('users:write')
  create(@CurrentCaller() by: Caller) {
    return by;
  }

  @Get('all')
  all() {
    return 'all';
  }
}

/** Its first route passes requests on to the others. */
@Controller('audited')
@SkipThrottle()
class AuditedController {
  @All('*path')
  @AnyToken()
  audit(@Next() next: () => void) {
    next();
  }

  @Get('secret')
  @Scopes('admin')
  secret() {
    return 'secret';
  }
}

const TOKEN_CONTROLLERS: Type[] = [ReportsController, AuditsController, AuditedController];

/** The application's own guard, for all routes that do not require a token of the service. */
@Injectable()
class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return (
      TOKEN_CONTROLLERS.some((controller) => context.getClass() === controller) ||
      !!context.switchToHttp().getRequest().headers['x-host']
    );
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const { method, url } = http.getRequest<Request>();
    http.getResponse<Response>().status(status).json({ oops: status, method, url });
  }
}

const wrap = {
  intercept: (_context: unknown, next: { handle(): Observable<unknown> }) =>
    next.handle().pipe(map((data) => ({ data }))),
};

@Module({})
class HostModule implements NestModule {
  /** A middleware leaves its own path in `request.route`. */
  configure(consumer: MiddlewareConsumer): void {
    const pass = (_request: Request, _response: Response, next: NextFunction) => next();
    consumer.apply(pass).forRoutes({ path: '{*path}', method: RequestMethod.ALL });
  }

  static with(
    dataSource: DataSource,
    imports: DynamicModule[],
    { name, autoLoadEntities }: HostOptions,
  ): DynamicModule {
    return {
      module: HostModule,
      imports: [
        TypeOrmModule.forRootAsync({
          ...(name && { name }),
          useFactory: () => ({
            ...dataSource.options,
            ...(name && { name }),
            ...(autoLoadEntities && { entities: [], autoLoadEntities }),
            retryAttempts: 0,
          }),
          dataSourceFactory: async (options) =>
            autoLoadEntities ? new DataSource(options!).initialize() : dataSource,
        }),
        TypeOrmModule.forFeature([User], name),
        ThrottlerModule.forRoot([{ limit: 1_000, ttl: 60_000 }]),
        ...imports,
      ],
      controllers: imports.length > 0 && !name ? [HostController, ...TOKEN_CONTROLLERS] : [HostController],
      providers: [
        ...(name ? [{ provide: 'UserRepository', useFactory: () => dataSource.getRepository(User) }] : []),
        { provide: APP_GUARD, useClass: HostGuard },
        { provide: APP_GUARD, useClass: ThrottlerGuard },
        { provide: APP_FILTER, useClass: HostFilter },
        { provide: APP_INTERCEPTOR, useValue: wrap },
      ],
    };
  }
}

export interface HostOptions {
  /** The name of the host's data source. */
  name?: string;
  /** Whether the host's data source registers the entities of every `forFeature()`. */
  autoLoadEntities?: boolean;
  /** See `TestServiceOptions`. The rest of it is for the options of the module. */
  limits?: TestServiceOptions['limits'];
}

export interface Host {
  app: NestExpressApplication;
  /** Has only the application's entities. */
  dataSource: DataSource;
  url: string;
  close(): Promise<void>;
}

/** Starts an application that uses every kind of global setting, with these modules in addition to its own. */
export async function startHost(imports: DynamicModule[], options: HostOptions = {}): Promise<Host> {
  const empty = await emptyDatabase();
  const config = readConfig({ MIGRATE_ON_START: 'false', ...empty.env });
  const database = await openDatabase(config, { entities: [User], migrations: [] }, timeoutsOf(options));
  await database.dataSource.synchronize();
  const close = async () => {
    await database.close();
    await empty.drop();
  };
  const app = await listen(HostModule.with(database.dataSource, imports, options)).catch(async (error) => {
    await close();
    throw error;
  });
  if (imports.length > 0) lengthenLimits(app.get(Mount, { strict: false }).service, options);
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    app,
    dataSource: app.get<DataSource>(getDataSourceToken(options.name)),
    url: `http://127.0.0.1:${port}`,
    async close() {
      await app.close();
      await close();
    },
  };
}

async function listen(module: DynamicModule): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    logger: false,
    abortOnError: false,
  });
  app.setGlobalPrefix('backend');
  app.enableCors({ origin: 'https://host.example', credentials: true });
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  await app.listen(0, '127.0.0.1');
  return app;
}

/** The data source of the service inside the host. */
export const ownDataSource = ({ app }: Pick<Host, 'app'>): DataSource =>
  app.get(Mount).service.get(Database)['dataSource'];
