// The baseline that follows tutorials: Nest, TypeORM repositories, class-validator and the throttler's defaults.
import { createHash, randomUUID } from 'node:crypto';
import {
  Body,
  type CanActivate,
  ConflictException,
  Controller,
  Delete,
  type ExecutionContext,
  ForbiddenException,
  Get,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Patch,
  Post,
  Query,
  Req,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsEmail, IsIn, IsInt, IsObject, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { Column, CreateDateColumn, Entity, PrimaryColumn, type Repository, UpdateDateColumn } from 'typeorm';

@Entity({ name: 'users', schema: 'plain' })
class User {
  @PrimaryColumn() id: string;
  @Column({ name: 'organization_id' }) organizationId: string;
  @Column() name: string;
  @Column() email: string;
  @Column() role: string;
  @Column('jsonb') metadata: object;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}

@Entity({ name: 'tokens' })
class Token {
  @PrimaryColumn() id: string;
  @Column({ name: 'organization_id' }) organizationId: string;
  @Column('bytea') hash: Buffer;
  @Column('text', { array: true }) scopes: string[];
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true }) expiresAt: Date | null;
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true }) revokedAt: Date | null;
}

class CreateUser {
  @IsString() @Length(1, 200) name: string;
  @IsEmail() email: string;
  @IsOptional() @IsIn(['member', 'admin', 'viewer']) role?: string;
  @IsOptional() @IsObject() metadata?: object;
}
class UpdateUser {
  @IsOptional() @IsString() @Length(1, 200) name?: string;
  @IsOptional() @IsEmail() email?: string;
  @IsOptional() @IsIn(['member', 'admin', 'viewer']) role?: string;
  @IsOptional() @IsObject() metadata?: object;
}
class ListUsers {
  @Type(() => Number) @IsInt() @Min(1) @Max(200) limit: number = 50;
  @Type(() => Number) @IsInt() @Min(0) offset: number = 0;
}

const Scope = (scope: string) => SetMetadata('scope', scope);

@Injectable()
class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @InjectRepository(Token) private readonly tokens: Repository<Token>,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    const value = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const hash = createHash('sha256')
      .update(value ?? '')
      .digest();
    const token = value ? await this.tokens.findOneBy({ hash }) : null;
    if (!token || token.revokedAt || (token.expiresAt && token.expiresAt < new Date()))
      throw new UnauthorizedException();
    const scope = this.reflector.get<string>('scope', context.getHandler());
    if (!token.scopes.includes(scope) && !token.scopes.includes('admin')) throw new ForbiddenException();
    request.token = token;
    return true;
  }
}

@Injectable()
class TokenThrottler extends ThrottlerGuard {
  protected override async getTracker(request: Record<string, any>): Promise<string> {
    return request.token.id;
  }
}

@Controller('api/v1/users')
@UseGuards(AuthGuard, TokenThrottler)
class UsersController {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  @Get()
  @Scope('users:read')
  async list(@Req() { token }: any, @Query() { limit, offset }: ListUsers) {
    const data = await this.users.find({
      where: { organizationId: token.organizationId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { data, nextOffset: data.length === limit ? offset + limit : null };
  }

  @Get(':id')
  @Scope('users:read')
  async get(@Req() { token }: any, @Param('id') id: string) {
    const user = await this.users.findOneBy({ organizationId: token.organizationId, id });
    if (!user) throw new NotFoundException();
    return user;
  }

  @Post()
  @Scope('users:write')
  async create(@Req() { token }: any, @Body() body: CreateUser) {
    const { organizationId } = token;
    const user = this.users.create({
      id: randomUUID(),
      role: 'member',
      metadata: {},
      ...body,
      organizationId,
    });
    return this.users.save(user).catch((error) => {
      throw error.code === '23505' ? new ConflictException() : error;
    });
  }

  @Patch(':id')
  @Scope('users:write')
  async update(@Req() { token }: any, @Param('id') id: string, @Body() body: UpdateUser) {
    const user = await this.users.findOneBy({ organizationId: token.organizationId, id });
    if (!user) throw new NotFoundException();
    return this.users.save(Object.assign(user, body));
  }

  @Delete(':id')
  @Scope('users:delete')
  @HttpCode(204)
  async delete(@Req() { token }: any, @Param('id') id: string) {
    const { affected } = await this.users.delete({ organizationId: token.organizationId, id });
    if (!affected) throw new NotFoundException();
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      entities: [User, Token],
      poolSize: 10,
    }),
    TypeOrmModule.forFeature([User, Token]),
    ThrottlerModule.forRoot([{ ttl: 60_000, limit: Number(process.env.RATE_LIMIT_PER_MINUTE) }]),
  ],
  controllers: [UsersController],
})
class AppModule {}

async function start() {
  const app = await NestFactory.create(AppModule, { logger: false });
  app.use((_request: unknown, response: any, next: () => void) => {
    response.setHeader('X-Request-ID', randomUUID());
    next();
  });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen(0, '127.0.0.1');
  console.log(JSON.stringify({ url: `http://127.0.0.1:${app.getHttpServer().address().port}` }));
}
void start();
