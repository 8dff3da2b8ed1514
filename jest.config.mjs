import { readFileSync } from 'node:fs';

process.chdir(import.meta.dirname); // an editor may start Jest in another folder

// Jest's processes inherit this. Without it, the embedded database cannot load its modules.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules`;
process.env.NODE_NO_WARNINGS = '1';

// As nest build compiles, but for import(): in Jest's own loader it would give Nest a second copy of a module.
const swc = { ...JSON.parse(readFileSync('.swcrc', 'utf8')), swcrc: false, module: { type: 'commonjs' } };

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  collectCoverageFrom: ['src/**/*.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/run/setup.mjs',
  globalTeardown: '<rootDir>/test/support/run/teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/run/reporter.cjs'],
  maxWorkers: '100%',
  // A process keeps some memory of each file. With a gigabyte of it, collecting garbage is most of the work. With a
  // limit, Jest runs even a single suite in another process, which has the NODE_OPTIONS from above.
  workerIdleMemoryLimit: '500MB',
  testEnvironment: 'node',
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/run/v8.cjs'],
  restoreMocks: true, // what a test spies on is itself again before the next one
  testTimeout: 900_000, // a test may share two slow cores with several others
  // These consist of ES modules, which Jest cannot require on Node 20, so they are compiled to CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/|openid-client/|oauth4webapi/|jose/)'],
  transform: { '\\.[jt]s$': ['@swc/jest', swc] },
};
