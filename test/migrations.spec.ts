import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The SHA-256 of each migration that has landed. A database that has run it never runs it again. */
const LANDED: Record<string, string> = {
  '1764100000000-create-organizations.ts': 'ca8b2ef31db117add1002251ade2ce46dde8ea59fb91b9cba61b60bf63bc8699',
  '1764100000001-create-users.ts': '9b07268881a2d2af2a76d1ec28549bc4e22c654f6599727a17f03e8ae87a5b3b',
  '1764100000002-create-search.ts': '06a5e637c64c77fc014db783eab75f38958ada2eb2f75b61ae8bd0cf826c0eb3',
  '1764100000003-create-rate-limits.ts': '5b34f5585ed9bd988b4ceac801cc2a8493d29d30992780ebfb4a0a1adae17e84',
  '1764100000004-create-idempotency-keys.ts':
    '70592b7857e7d678a6ab5f4ff8b51889c488e84e7c6624db666769e9f7fdcf01',
  '1764100000005-create-events.ts': '3e3fab59745a4c3f1706bb935e04d9b8281d8036ba401f5d2cc5225cbd0d17d4',
};

const files = readdirSync('migrations').filter((file) => file !== 'index.ts');
const hashOf = (file: string) =>
  createHash('sha256')
    .update(readFileSync(`migrations/${file}`, 'utf8').replaceAll('\r\n', '\n'))
    .digest('hex');

it.each(Object.entries(LANDED))('%s is as it was when it landed', (file, hash) => {
  if (files.includes(file) && hashOf(file) === hash) return;
  throw new Error(
    `migrations/${file} was edited or removed, but databases that have run it will not notice. Restore it, and add a new migration.`,
  );
});

it('has the hash of every migration', () => {
  const added = files.filter((file) => !(file in LANDED));
  if (added.length === 0) return;
  const lines = added.map((file) => `  '${file}': '${hashOf(file)}',`).join('\n');
  throw new Error(
    `Once these migrations are final, add them to LANDED in test/migrations.spec.ts; from then on nobody may edit them:\n${lines}`,
  );
});
