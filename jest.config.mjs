import { readFileSync } from 'node:fs';

process.chdir(import.meta.dirname); // an editor may start Jest in another folder

process.env.NODE_NO_WARNINGS = '1'; // Jest's processes inherit it

// As nest build compiles, but import() is a require() of the TypeScript that it names.
const built = JSON.parse(readFileSync('.swcrc', 'utf8'));
const swc = {
  ...built,
  swcrc: false,
  jsc: { ...built.jsc, rewriteRelativeImportExtensions: false },
  module: { type: 'commonjs' },
};

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  collectCoverageFrom: ['src/**/*.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/run/setup.mjs',
  globalTeardown: '<rootDir>/test/support/run/teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/run/reporter.cjs'],
  maxWorkers: '100%',
  workerIdleMemoryLimit: '500MB', // with a limit, Jest runs even a single suite in another process
  // A process loads the application once, not once for each suite, which would be a third of the work.
  testRunner: '<rootDir>/test/support/run/suite.cjs',
  testEnvironment: '<rootDir>/test/support/run/environment.cjs',
  setupFilesAfterEnv: ['reflect-metadata', '<rootDir>/test/support/run/v8.cjs'],
  restoreMocks: true, // what a test spies on is itself again before the next one
  testTimeout: 900_000, // a test may share two slow cores with several others
  transform: { '\\.ts$': ['@swc/jest', swc] },
};
