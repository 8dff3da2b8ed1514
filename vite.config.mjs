import { defineConfig } from 'vite';

/** Builds the developer dashboard into the package. The output folder mirrors the paths below the dashboard's URL. */
export default defineConfig({
  root: 'dashboard',
  base: './', // works under any path prefix
  publicDir: false,
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    assetsDir: 'dashboard',
    assetsInlineLimit: 0,
    modulePreload: false, // there is only one script; the polyfill would be a second
  },
});
