// Renders every overlay in deploy/ with the components that it offers, and validates each object, and those in the
// examples of docs/, against the Kubernetes API and the rules in kubernetes/.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { faultsOf } from './kubernetes/invariants.mjs';
import { kustomize, renderAll } from './kubernetes/render.mjs';
import { schemaFaults } from './kubernetes/schemas.mjs';

if (!kustomize) {
  process.stdout.write(
    'Skipped: rendering deploy/ requires kustomize 4.5+ or kubectl 1.24+; neither is installed.\n',
  );
  process.exit(0);
}

const OVERLAY = 'kustomize.config.k8s.io/v1beta1';

/** The objects in the examples of a document, whose other YAML is not for Kubernetes. */
function objectsIn(path) {
  const examples = [...readFileSync(path, 'utf8').matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text);
  const objects = examples.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
  return objects.filter(({ apiVersion }) => apiVersion !== undefined);
}

const directory = mkdtempSync('.kubernetes-');
try {
  const documents = ['docs/oauth.md', 'docs/operations.md'].map((path) => [path, objectsIn(path)]);
  const example = documents.flatMap(([, objects]) => objects).find((object) => object.apiVersion === OVERLAY);
  const rendered = renderAll(directory, JSON.stringify(example));
  for (const [name, objects] of rendered) process.stdout.write(`${name}: ${objects.length} objects\n`);
  const manifests = documents.map(([path, objects]) => [
    path,
    objects.filter((object) => object !== example),
  ]);
  const all = [...rendered, ...manifests].flatMap(([name, objects]) =>
    objects.map((object) => [name, object]),
  );
  const faults = [
    ...rendered.flatMap(([name, objects]) => faultsOf(objects).map((fault) => `${name}: ${fault}`)),
    ...schemaFaults(all, directory),
  ];
  if (faults.length === 0) process.stdout.write(`All ${all.length} objects are valid.\n`);
  else process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true });
}
