// Imported before everything else, because an older Node would fail on the other modules with a stack trace. This file
// and the entry points must compile to syntax that Node 12 can parse. scripts/stale.mjs checks the same before a build.
const version = process.versions.node;
const [major, minor] = version.split('.').map(Number);

if (!(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19))) {
  process.stderr.write(
    `Node.js 20.19, 22.12 or newer is required; this is ${version}. Install a newer one from https://nodejs.org.\n`,
  );
  process.exit(1);
}

export {};
