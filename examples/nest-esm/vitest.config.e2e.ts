import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The first start migrates the tables.
  test: {
    globals: true,
    root: './',
    include: ['**/*.e2e-spec.ts'],
    hookTimeout: 60_000,
    testTimeout: 60_000,
  },
});
