import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

// Paths are in backquotes here: in quotes, this suite would name the files, and so be chosen for them.
const { suitesFor } = createRequire(__filename)('../support/run/changed.cjs') as {
  suitesFor(changed: string[]): {
    suites: string[];
    leftOut: { path: string; reason: string }[];
    unknown: string[];
  };
};
const leftOutOf = (...changed: string[]) => suitesFor(changed).leftOut.map(({ path }) => path);

describe('a change concerns', () => {
  it('the room of a file, without slow suites, and suites elsewhere that import it by name', () => {
    const { suites, leftOut, unknown } = suitesFor([`src/tokens/tokens.service.ts`]);
    expect(suites).toEqual(
      expect.arrayContaining([
        `test/tokens/token-life.spec.ts`,
        `test/tokens/tokens.spec.ts`,
        `test/oauth/children.spec.ts`,
      ]),
    );
    expect(leftOut).toContainEqual({
      path: `test/events/event-numbers.spec.ts`,
      reason: 'slow: it starts processes',
    });
    expect(suites).not.toContain(`test/events/event-numbers.spec.ts`);
    expect(suites).not.toContain(`test/docs/openapi.spec.ts`); // it imports another file of the room
    expect(unknown).toEqual([]);
  });

  it('the inner room of a file if it has tests of its own, otherwise the one around it', () => {
    expect(suitesFor([`src/users/search/gone.ts`]).suites).toContain(`test/users/search/search.spec.ts`);
    expect(suitesFor([`src/users/search/gone.ts`]).suites).not.toContain(`test/users/users.spec.ts`);
    expect(suitesFor([`src/users/batch/gone.ts`]).suites).toContain(`test/users/users.spec.ts`);
  });

  it('a slow suite if that has changed itself', () => {
    const slow = `test/events/event-numbers.spec.ts`;
    expect(suitesFor([slow])).toEqual({ suites: [slow], leftOut: [], unknown: [] });
    const both = [`src/tokens/tokens.service.ts`, slow];
    expect(suitesFor(both).suites).toContain(slow);
    expect(leftOutOf(...both)).not.toContain(slow);
  });

  it('suites whose result no other database changes', () => {
    expect(suitesFor([`src/scim/filter/gone.ts`]).suites).toContain(`test/scim/filter.spec.ts`);
  });

  it('the suites that import a support file, those that name a file, and those of another room', () => {
    expect(suitesFor([`test/support/token-life.ts`]).suites).toContain(`test/tokens/token-life.spec.ts`);
    expect(suitesFor([`docs/pgbouncer.md`]).suites).toContain(`test/repository/kubernetes.spec.ts`);
    expect(suitesFor([`src/index.ts`, `migrations/index.ts`]).suites).toContain(
      `test/database/migrations.spec.ts`,
    );
    expect(leftOutOf(`src/index.ts`)).toContain(`test/embedding/module.spec.ts`);
    expect(leftOutOf(`dashboard/users/list/gone.tsx`)).toContain(`test/dashboard/edit-users.spec.ts`);
  });

  it('none if nobody knows the file, which is said', () => {
    expect(suitesFor([`nobody/knows.ts`])).toEqual({ suites: [], leftOut: [], unknown: [`nobody/knows.ts`] });
  });
});

it('every file of the product concerns a suite', () => {
  const files = ['src', 'client', 'csv', 'dashboard', 'migrations'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('dist'))
      .map((name) => `${folder}/${name}`),
  );
  expect(suitesFor(files).unknown).toEqual([]);
});
