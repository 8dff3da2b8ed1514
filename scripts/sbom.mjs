// Prints the packages of a production installation in CycloneDX, with the hashes of the lock file, and those whose
// files the build copies into its pages; the arguments name packages that were left out. It has no serial number or
// timestamp, so that the same sources produce the same image.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// `npm sbom --omit=dev` would also omit what production and development both need.
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const leftOut = process.argv.slice(2);
const inPages = ['preact', 'swagger-ui-dist'];
const installed = new Set();
for (const [path, { version, dev, link }] of Object.entries(packages)) {
  const name = path.split('node_modules/').at(-1);
  if (path.includes('node_modules/') && !link && !leftOut.includes(name) && (!dev || inPages.includes(name)))
    installed.add(`${name}@${version}`);
}

const options = ['--package-lock-only', '--workspaces=false', '--sbom-format=cyclonedx'];
const sbom = JSON.parse(execFileSync('npm', ['sbom', ...options], { encoding: 'utf8', maxBuffer: 1 << 26 }));
delete sbom.serialNumber;
delete sbom.metadata.timestamp;
sbom.components = sbom.components.filter((component) => installed.has(component['bom-ref']));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => installed.has(ref) || ref === sbom.metadata.component['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => installed.has(other)) }));
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
