import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

// With another organization's id, these methods take over its row; they also write back stale fields. Use insert() or
// one UPDATE … RETURNING.
const bannedMethods = ['save', 'upsert', 'remove', 'softRemove', 'recover'].map((name) => ({
  selector: `CallExpression[callee.property.name='${name}']`,
  message: `${name}() is not restricted to one organization; use insert() or one UPDATE.`,
}));

// On a busy machine a fixed time is too short, and on any other it is wasted.
const sleeps = [
  "CallExpression[callee.name='sleep']",
  "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
  "ImportDeclaration[source.value=/timers.promises$/] > ImportSpecifier[imported.name='setTimeout']",
].map((selector) => ({
  selector,
  message:
    'A test waits for what happens, not for a time: until() or untilBlocked() of test/support/until, or a clock of test/support/clock.',
}));

export default defineConfig(
  globalIgnores(['coverage/', '**/dist/', 'node_modules/']),
  js.configs.recommended,
  typescript.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-unsafe-function-type': 'off', // Nest attaches metadata to functions of any type
      'no-restricted-syntax': ['error', ...bannedMethods],
    },
  },
  {
    files: ['test/**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...bannedMethods, ...sleeps] },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'URLSearchParams',
          'fetch',
          'performance',
          'module',
          '__dirname',
          'Buffer',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // Prettier wraps code, and leaves comments alone. A migration that has landed is not edited, and types.ts is
    // generated.
    ignores: ['migrations/**', 'client/types.ts'],
    rules: {
      'max-len': ['error', { code: Infinity, comments: 120, ignoreUrls: true, ignorePattern: '@example' }],
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { globals: { require: 'readonly' } },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
