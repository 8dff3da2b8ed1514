// Every route of the application.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { bodyLimitOf } = require('../../../dist/src/platform/http/input/body-of-route.js');
const { routesOf } = require('../../../dist/src/platform/http/method-not-allowed.js');

const BUILT = new URL('../../../dist/src/', import.meta.url);

const controllers = readdirSync(BUILT, { recursive: true })
  .filter((file) => file.endsWith('.controller.js'))
  .flatMap((file) => Object.values(require(fileURLToPath(new URL(file, BUILT)))))
  .filter((exported) => typeof exported === 'function' && Reflect.hasMetadata('path', exported));

/** A handler that serves several paths is listed with its first. */
export const ROUTES = new Map();
const handlers = new Set();
for (const { method, path, handler } of routesOf(controllers)) {
  if (handlers.has(handler)) continue;
  handlers.add(handler);
  ROUTES.set(`${method} ${path}`, { maxBody: bodyLimitOf(handler) });
}
