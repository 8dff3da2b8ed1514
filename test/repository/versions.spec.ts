/**
 * @only embedded: it uses no database
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const yaml = (path: string) => parse(readFileSync(path, 'utf8'));
const labelOf = (path: string) =>
  yaml(path)
    .labels.map(({ pairs }: { pairs: object }) => pairs['app.kubernetes.io/version' as never])
    .find(Boolean);
const { version, dependencies } = json('package.json');

it.each([
  ['client/package.json', json('client/package.json').version],
  ['the dependency on the client', dependencies['user-management-service-client']],
  ['package-lock.json', json('package-lock.json').packages[''].version],
  ['the client in package-lock.json', json('package-lock.json').packages.client.version],
  ['openapi.json', json('openapi.json').info.version],
  ['the label of the base', labelOf('deploy/base/kustomization.yaml')],
  ['the label of the migration job', labelOf('deploy/components/migration/kustomization.yaml')],
  ['the image in production', yaml('deploy/overlays/production/kustomization.yaml').images[0].newTag],
  ['the image on CloudNativePG', yaml('deploy/overlays/cloudnativepg/kustomization.yaml').images[0].newTag],
  ['Dockerfile', /^ARG VERSION=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1]],
])('%s has the version of the service', (_place, found) => expect(found).toBe(version));
