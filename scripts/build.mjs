// Builds what `nest build` does not: the client, the dashboard, and the page of the API reference. `npm run build`
// runs both. SWC compiles without checking types, which `npm run check:types` does; `npm pack` checks them, too.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build as buildDashboard } from 'vite';

await import('./build-client.mjs');
await buildDashboard({ logLevel: 'warn' });
copyFileSync('node_modules/@fontsource-variable/inter/LICENSE', 'dist/dashboard/inter-license.txt');

// Swagger UI and its licences, and what is ours of the page. The output folder mirrors the paths of the service.
mkdirSync('dist/docs/docs', { recursive: true });
const swaggerUi = 'node_modules/swagger-ui-dist';
for (const name of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'])
  copyFileSync(`${swaggerUi}/${name}`, `dist/docs/docs/${name}`);
const css = readFileSync(`${swaggerUi}/swagger-ui.css`, 'utf8');
const rules = css.replace(/\/\*# sourceMappingURL=.*\*\//, '');
writeFileSync('dist/docs/docs/swagger-ui.css', `@layer swagger-ui {${rules}}`); // any style of ours has precedence
for (const name of ['initializer.js', 'style.css'])
  copyFileSync(`swagger-ui/${name}`, `dist/docs/docs/${name}`);
// It looks like the dashboard.
copyFileSync('dashboard/ui/tokens.css', 'dist/docs/docs/tokens.css');
const inter = 'node_modules/@fontsource-variable/inter';
copyFileSync(`${inter}/files/inter-latin-wght-normal.woff2`, 'dist/docs/docs/inter.woff2');
copyFileSync(`${inter}/LICENSE`, 'dist/docs/docs/inter-license.txt');
copyFileSync('swagger-ui/index.html', 'dist/docs/index.html');
writeFileSync('dist/docs/openapi.json', JSON.stringify(JSON.parse(readFileSync('openapi.json', 'utf8'))));

for (const folder of ['dist/dashboard/dashboard', 'dist/docs/docs', 'dist/docs'])
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    const isCompressed = /\.(gz|woff2)$/.test(path);
    if (entry.isFile() && !isCompressed)
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
