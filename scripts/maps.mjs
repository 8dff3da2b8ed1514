// Takes the names of the source maps out of the built code. The package has no maps, and tools such as Vite warn of a
// file that names a missing one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

for (const path of readdirSync('dist', { recursive: true }).filter((name) => name.endsWith('.js'))) {
  const file = join('dist', path);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
}
