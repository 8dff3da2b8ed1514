// Checks a lock file without a network: each package from the registry must have a hash, and only the packages below
// may have an install script. `.npmrc` and the image's build do not run even those (`allowScripts`,
// `--ignore-scripts`).
import { readFileSync } from 'node:fs';

/** Packages with a script, none of them in production, and why they may stay. */
const WITH_SCRIPT = {
  '@parcel/watcher': 'would compile its addon where no prebuilt one fits; nothing here watches files with it',
  '@scarf/scarf': 'would report the installation of swagger-ui-dist',
  '@swc/core': 'would fetch a WebAssembly build where no prebuilt addon fits',
  'unrs-resolver': 'would look for the prebuilt addon, which npm has installed',
};

const [file = 'package-lock.json'] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(file, 'utf8'));
const faults = [];
for (const [path, { integrity, link, inBundle, hasInstallScript, dev }] of Object.entries(packages)) {
  if (!path.includes('node_modules/')) continue; // of this repository
  const name = path.split('node_modules/').at(-1);
  if (!link && !inBundle && !/^sha512-/.test(integrity)) faults.push(`${path} has no SHA-512 hash`);
  if (!hasInstallScript) continue;
  if (!(name in WITH_SCRIPT)) faults.push(`${path} runs a script when it is installed`);
  else if (!dev) faults.push(`${path}, which has an install script, is installed in production`);
}
if (faults.length > 0) {
  process.stderr.write(`${file}:\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
  process.exitCode = 1;
}
