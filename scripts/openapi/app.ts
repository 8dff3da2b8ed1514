import { DiscoveryService, ModulesContainer, NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { version } from '../../package.json';
import { AppModule } from '../../src/app.module';
import { factsOf } from '../../src/http/input/facts';
import { type Route, routesOf } from '../../src/http/method-not-allowed';
import { controllersOf } from '../../src/service.module';
import { DEFAULTS } from '../../src/service.options';
import { CreateUserDto } from '../../src/users/users.dto';
import { factsOfRoute } from './route-facts';

/** A class with the metadata from the Swagger plugin. */
type Described = { _OPENAPI_METADATA_FACTORY(): Record<string, unknown>; prototype: object };

/** Hides the fields that a DTO declares only to reject them. JSON Schema has no type for their `never`. */
function hideRefused(dto: Described): void {
  const fields = Object.entries(dto._OPENAPI_METADATA_FACTORY());
  const facts = factsOf(dto.prototype) as Record<string, { refused?: true }>;
  const kept = Object.fromEntries(fields.filter(([name]) => !facts[name]?.refused));
  dto._OPENAPI_METADATA_FACTORY = () => kept;
}

/** The routes of the service, and the document that @nestjs/swagger derives from types and comments. */
export async function readService() {
  hideRefused(CreateUserDto as unknown as Described);
  const module = AppModule.on(new DataSource({ type: 'postgres' }), {
    ...DEFAULTS,
    background: false,
    leakReports: true,
    dashboard: false,
  });
  const app = await NestFactory.create(module, { preview: true, logger: ['error'] });
  const routes: Route[] = [...routesOf(controllersOf(new DiscoveryService(app.get(ModulesContainer))))];
  const config = new DocumentBuilder().setTitle('User Management Service').setVersion(version).build();
  const extraModels = routes.flatMap((route) => factsOfRoute(route).view ?? []);
  return { routes, document: SwaggerModule.createDocument(app, config, { extraModels }) };
}
