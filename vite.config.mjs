import { defineConfig } from 'vite';

/** The developer dashboard, built into the package: the folder is what is below the place where the page is served. */
export default defineConfig({
  root: 'dashboard',
  base: './', // whatever stands before the path
  publicDir: false,
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    assetsDir: 'dashboard',
    assetsInlineLimit: 0,
    modulePreload: false, // there is one script, and its polyfill would be another
  },
});
