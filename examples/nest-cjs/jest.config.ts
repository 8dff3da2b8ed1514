import type { Config } from 'jest';

const config: Config = {
  moduleFileExtensions: ['js', 'json', 'ts'],
  rootDir: '.',
  testRegex: '.*\\.spec\\.ts$',
  transform: {
    '^.+\\.ts$': 'ts-jest',
    '^.+\\.js$': '@swc/jest', // compiles Nest's ES modules to CommonJS
  },
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  testEnvironment: 'node',
};

export default config;
