import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { version } from '../package.json';
import { ApiModule } from '../src/api/api.module';
import { GUARDS } from '../src/auth/token.guard';
import { DocsController } from '../src/docs/docs.controller';
import { HealthController } from '../src/health/health.controller';
import { HealthService } from '../src/health/health.service';
import { factsOf } from '../src/http/facts';
import { TokensService } from '../src/tokens/tokens.service';
import { UserSearch } from '../src/users/user-search';
import { CreateUserDto } from '../src/users/users.dto';
import { UsersService } from '../src/users/users.service';

/** What the controllers ask for, and nobody will use. */
const absent = [GUARDS, UsersService, UserSearch, TokensService];

@Module({
  imports: [ApiModule.with(new Map(absent.map((token) => [token, {}])))],
  controllers: [HealthController, DocsController],
  providers: [{ provide: HealthService, useValue: {} }],
})
class DescribedModule {}

/** What the plugin has written into a class. */
type Described = { _OPENAPI_METADATA_FACTORY(): Record<string, unknown>; prototype: object };

/** Fields that are known only to be refused are no part of what may be sent, and `never` is no type of a schema. */
function hideRefused(dto: Described): void {
  const fields = Object.entries(dto._OPENAPI_METADATA_FACTORY());
  const facts = factsOf(dto.prototype) as Record<string, { refused?: true }>;
  const kept = Object.fromEntries(fields.filter(([name]) => !facts[name]?.refused));
  dto._OPENAPI_METADATA_FACTORY = () => kept;
}

/** What @nestjs/swagger reads from the controllers, their types and their comments. No route is ever called. */
export async function readControllers() {
  hideRefused(CreateUserDto as unknown as Described);
  const app = await NestFactory.create(DescribedModule, { logger: ['error'] });
  const config = new DocumentBuilder().setTitle('User Management Service').setVersion(version).build();
  return SwaggerModule.createDocument(app, config);
}
