import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

const load = createRequire(join(process.cwd(), 'package.json'));
const service: OpenAPIObject = load('user-management-service/openapi.json');

/** The paths of the service that are served in an application, too. */
const servicePaths = Object.entries(service.paths).filter(([path]) => /^\/(api|v1)\//.test(path));

/** Describes the routes of the application together with those of the service, at the path where they are mounted. */
export function documentationOf(app: INestApplication): OpenAPIObject {
  const own = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('People').build());
  const mounted = servicePaths.map(([path, operations]) => [`/backend/internal${path}`, operations]);
  return {
    ...own,
    paths: { ...own.paths, ...Object.fromEntries(mounted) },
    components: mergedComponents(own.components, service.components),
  };
}

/** Shows both documents in one Swagger UI, at `/docs`; a list at its top selects one of them. */
export function serveDocumentation(app: INestApplication): void {
  const own = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('People').build());
  own.components = mergedComponents(own.components, service.components);
  const mounted = {
    ...service,
    paths: Object.fromEntries(servicePaths),
    servers: [{ url: '/backend/internal' }],
  };
  SwaggerModule.setup('docs/users', app, mounted, { ui: false, jsonDocumentUrl: 'docs/users.json' });
  SwaggerModule.setup('docs', app, own, {
    jsonDocumentUrl: 'docs/people.json',
    explorer: true,
    swaggerOptions: {
      urls: [
        { name: 'People', url: '/docs/people.json' },
        { name: 'User Management Service', url: '/docs/users.json' },
      ],
    },
  });
}

/** The service's schemas win where both have one of the same name. */
function mergedComponents(own: OpenAPIObject['components'] = {}, other: OpenAPIObject['components'] = {}) {
  const merged: Record<string, object> = { ...own };
  for (const [kind, entries] of Object.entries(other)) merged[kind] = { ...merged[kind], ...entries };
  return merged as OpenAPIObject['components'];
}
