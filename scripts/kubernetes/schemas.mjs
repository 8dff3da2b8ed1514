// Validates objects against the Kubernetes API. The schemas are TypeScript types, so the compiler rejects unknown
// fields, missing fields and wrong values.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const CUSTOM = resolve(import.meta.dirname, 'custom-resources');

const MODULES = {
  v1: 'kubernetes-types/core/v1',
  'apps/v1': 'kubernetes-types/apps/v1',
  'autoscaling/v2': 'kubernetes-types/autoscaling/v2',
  'batch/v1': 'kubernetes-types/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-types/networking/v1',
  'policy/v1': 'kubernetes-types/policy/v1',
  'rbac.authorization.k8s.io/v1': 'kubernetes-types/rbac/v1',
  'barmancloud.cnpg.io/v1': CUSTOM,
  'external-secrets.io/v1': CUSTOM,
  'gateway.networking.k8s.io/v1': CUSTOM,
  'monitoring.coreos.com/v1': CUSTOM,
  'postgresql.cnpg.io/v1': CUSTOM,
};

/** The faults of objects, each with the name of where it stands. */
export function schemaFaults(objects, directory) {
  const typeOf = ({ apiVersion, kind }, name) => {
    const module = MODULES[apiVersion];
    if (!module) throw new Error(`${name}: ${import.meta.filename} has no schemas for ${apiVersion}.`);
    const path = module === CUSTOM ? `./${relative(directory, CUSTOM)}.js` : module;
    return `import('${path}').${kind}`;
  };
  const lines = objects.map(([name, object], i) => {
    const label = `${name}: ${object.kind} ${object.metadata.name}`;
    return `/* ${label} */ export const object${i}: ${typeOf(object, name)} = ${JSON.stringify(object)};`;
  });
  writeFileSync(join(directory, 'objects.ts'), `${lines.join('\n')}\n`);
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }));
  const tsc = 'node_modules/typescript/bin/tsc';
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', directory], { encoding: 'utf8' });
  if (status === 0) return [];
  return stdout
    .trimEnd()
    .split('\n')
    .map((fault) => {
      const line = /objects\.ts\((\d+),/.exec(fault)?.[1];
      return line ? `${/\/\* (.*?) \*\//.exec(lines[line - 1])[1]}: ${fault}` : fault;
    });
}
