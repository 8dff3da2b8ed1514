// Renders every overlay in deploy/, and the production overlay with each component. Validates each object, and those in
// the examples of docs/oauth.md, against the Kubernetes API. The schemas are TypeScript types, so the compiler rejects
// unknown fields, missing fields and wrong values.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

const typeOf = (module) => (kind) => `import('kubernetes-types/${module}').${kind}`;

/** Only the part of the Prometheus operator's object that deploy/ uses: types for all of it would need 23 packages. */
const SERVICE_MONITOR =
  `{ apiVersion: string; kind: string; metadata: ${typeOf('meta/v1')('ObjectMeta')}; ` +
  `spec: { selector: ${typeOf('meta/v1')('LabelSelector')}; endpoints: { port: string; path?: string; interval?: string }[] } }`;

/** Likewise of the Gateway API and of CloudNativePG. */
const HTTP_ROUTE =
  `{ apiVersion: string; kind: string; metadata: ${typeOf('meta/v1')('ObjectMeta')}; ` +
  `spec: { parentRefs: { name: string; namespace?: string }[]; hostnames?: string[]; ` +
  `rules: { backendRefs: { name: string; port: number }[] }[] } }`;
const CLUSTER =
  `{ apiVersion: string; kind: string; metadata: ${typeOf('meta/v1')('ObjectMeta')}; ` +
  `spec: { instances: number; enablePDB?: boolean; storage: { size: string; storageClass?: string }; ` +
  `bootstrap?: { initdb: { database: string; owner: string } }; postgresql?: { parameters?: Record<string, string> }; ` +
  `resources?: ${typeOf('core/v1')('ResourceRequirements')} } }`;

const TYPES = {
  'v1 Namespace': typeOf('core/v1'),
  'v1 Secret': typeOf('core/v1'),
  'v1 Service': typeOf('core/v1'),
  'v1 ServiceAccount': typeOf('core/v1'),
  'apps/v1 Deployment': typeOf('apps/v1'),
  'autoscaling/v2 HorizontalPodAutoscaler': typeOf('autoscaling/v2'),
  'batch/v1 Job': typeOf('batch/v1'),
  'networking.k8s.io/v1 Ingress': typeOf('networking/v1'),
  'networking.k8s.io/v1 NetworkPolicy': typeOf('networking/v1'),
  'policy/v1 PodDisruptionBudget': typeOf('policy/v1'),
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': typeOf('rbac/v1'),
  'monitoring.coreos.com/v1 ServiceMonitor': () => SERVICE_MONITOR,
  'gateway.networking.k8s.io/v1 HTTPRoute': () => HTTP_ROUTE,
  'postgresql.cnpg.io/v1 Cluster': () => CLUSTER,
};

const kustomize = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
].find(knowsComponents);
if (!kustomize) {
  process.stdout.write(
    'Skipped: rendering deploy/ requires kustomize 4+ or kubectl 1.21+; neither is installed.\n',
  );
  process.exit(0);
}

const directory = mkdtempSync('.kubernetes-');
try {
  const rendered = [
    ...readdirSync('deploy/overlays').map((name) => [name, `deploy/overlays/${name}`]),
    ...readdirSync('deploy/components').map((name) => [`production with ${name}`, withComponent(name)]),
  ].map(([name, path]) => [name, render(path)]);
  rendered.push(['docs/oauth.md', manifestsIn('docs/oauth.md')]);
  for (const [name, objects] of rendered) process.stdout.write(`${name}: ${objects.length} objects\n`);
  check(rendered.flatMap(([name, objects]) => objects.map((object) => [name, object])));
} finally {
  rmSync(directory, { recursive: true });
}

function knowsComponents([command]) {
  if (command === 'kustomize') return spawnSync(command, ['version']).status === 0;
  const { status, stdout } = spawnSync(command, ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  return status === 0 && 'kustomizeVersion' in JSON.parse(stdout);
}

/** Creates an overlay that adds the component to the production overlay. */
function withComponent(name) {
  const path = mkdtempSync(join(directory, 'overlay-'));
  const from = (there) => relative(path, there);
  writeFileSync(
    join(path, 'kustomization.yaml'),
    JSON.stringify({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [from('deploy/overlays/production')],
      components: [from(`deploy/components/${name}`)],
    }),
  );
  return path;
}

function render(path) {
  const [command, ...args] = kustomize;
  const text = execFileSync(command, [...args, path], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** The objects in the examples of a document, whose other YAML is not for Kubernetes. */
function manifestsIn(path) {
  const examples = [...readFileSync(path, 'utf8').matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text);
  const objects = examples.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
  return objects.filter(({ apiVersion }) => apiVersion !== undefined);
}

function check(objects) {
  const lines = objects.map(([overlay, object], i) => {
    const type = `${object.apiVersion} ${object.kind}`;
    if (!TYPES[type]) throw new Error(`${overlay}: scripts/kubernetes.mjs has no schema for ${type}.`);
    const label = `${overlay}: ${object.kind} ${object.metadata.name}`;
    return `/* ${label} */ export const object${i}: ${TYPES[type](object.kind)} = ${JSON.stringify(object)};`;
  });
  const file = join(directory, 'objects.ts');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }));
  const tsc = 'node_modules/typescript/bin/tsc';
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', directory], { encoding: 'utf8' });
  if (status === 0) return process.stdout.write(`All ${objects.length} objects are valid.\n`);
  for (const error of stdout.trimEnd().split('\n')) {
    const line = /objects\.ts\((\d+),/.exec(error)?.[1];
    process.stderr.write(`${line ? `${/\/\* (.*?) \*\//.exec(lines[line - 1])[1]}: ` : ''}${error}\n`);
  }
  process.exitCode = 1;
}
