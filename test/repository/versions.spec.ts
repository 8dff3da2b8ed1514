/**
 * @only embedded: it uses no database
 */
import { readFileSync } from 'node:fs';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version, dependencies } = json('package.json');

it.each([
  ['client/package.json', json('client/package.json').version],
  ['the dependency on the client', dependencies['user-management-service-client']],
  ['package-lock.json', json('package-lock.json').packages[''].version],
  ['the client in package-lock.json', json('package-lock.json').packages.client.version],
  ['openapi.json', json('openapi.json').info.version],
  ['Dockerfile', /^ARG VERSION=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1]],
])('%s has the version of the service', (_place, found) => expect(found).toBe(version));
