import { DiscoveryService, ModulesContainer, NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { version } from '../../package.json';
import { AppModule } from '../../src/app.module';
import { bodyTypesOf } from '../../src/platform/http/input/body-of-route';
import { type Route, routesOf } from '../../src/platform/http/method-not-allowed';
import { formatOf } from '../../src/platform/http/wire-format';
import { controllersOf } from '../../src/service.module';
import { DEFAULTS } from '../../src/service.options';
import { fieldsOf } from './constraints';
import { bodiesOf, responsesOf } from './routes';

/** A class with the metadata from the Swagger plugin. */
type Described = Function & { _OPENAPI_METADATA_FACTORY(): Record<string, unknown> };

/** Hides the fields that a DTO declares only to reject them. JSON Schema has no type for their `never`. */
function hideRefused(dto: Described): void {
  const fields = Object.entries(dto._OPENAPI_METADATA_FACTORY());
  const checked = fieldsOf(dto);
  const kept = Object.fromEntries(fields.filter(([name]) => !checked[name].isRefused));
  dto._OPENAPI_METADATA_FACTORY = () => kept;
}

/** The routes of the service, and the document that @nestjs/swagger derives from types and comments. */
export async function readService() {
  const module = AppModule.on(new DataSource({ type: 'postgres' }), {
    ...DEFAULTS,
    background: false,
    operatorTokens: [], // so that its routes exist
    dashboard: false, // its routes for signing in are no API: they serve its page alone
  });
  const app = await NestFactory.create(module, { preview: true, logger: ['error'] });
  const served: Route[] = [...routesOf(controllersOf(new DiscoveryService(app.get(ModulesContainer))))];
  // SCIM describes itself, at /Schemas, and the files of a page are no API.
  const routes = served.filter(
    ({ path }) => formatOf({ url: path }).source !== 'scim' && !path.startsWith('/docs/'),
  );
  for (const dto of bodiesOf(routes)) hideRefused(dto as Described);
  const config = new DocumentBuilder().setTitle('User Management Service').setVersion(version).build();
  const extraModels = routes.flatMap((route) => [
    ...[responsesOf(route).view ?? []].flat(),
    ...Object.values(bodyTypesOf(route.handler) ?? {}),
  ]);
  return { routes, document: SwaggerModule.createDocument(app, config, { extraModels }) };
}
