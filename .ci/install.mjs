// Installs the programs that the steps need. Where that cannot be done, CI fails, and a developer's run leaves out the
// tests of what is missing, and says so.
import { installPrograms } from './programs.mjs';

const missing = installPrograms();
if (process.env.WITHOUT_CITUS === '1')
  process.stdout.write('WITHOUT_CITUS is 1: no test runs on a cluster.\n');
if (missing.length > 0) {
  process.stderr.write(
    `Not installed: ${missing.join(', ')}. On a system with apt-get, root need not install anything but Citus;` +
      ' WITHOUT_CITUS=1 runs everything that needs no cluster.\n',
  );
  if (process.env.CI === 'true') process.exitCode = 1;
}
