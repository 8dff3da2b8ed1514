/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*{.,e2e-,slow-}spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  maxWorkers: '100%',
  testEnvironment: 'node',
  setupFiles: ['reflect-metadata'],
  testTimeout: 60_000,
  // Nest 12 consists of ES modules, which Jest cannot require on Node 20, so they are compiled to CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  transform: { '\\.[jt]s$': '@swc/jest' }, // as .swcrc says
};
