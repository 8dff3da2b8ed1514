import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { migrations } from '../../migrations';

/** The SHA-256 of each migration that has landed. A database that has run it never runs it again. */
const LANDED: Record<string, string> = {
  '1764100000000-create-organizations.ts': 'ca8b2ef31db117add1002251ade2ce46dde8ea59fb91b9cba61b60bf63bc8699',
  '1764100000001-create-users.ts': '9b07268881a2d2af2a76d1ec28549bc4e22c654f6599727a17f03e8ae87a5b3b',
  '1764100000002-create-search.ts': '06a5e637c64c77fc014db783eab75f38958ada2eb2f75b61ae8bd0cf826c0eb3',
  '1764100000003-create-rate-limits.ts': '5b34f5585ed9bd988b4ceac801cc2a8493d29d30992780ebfb4a0a1adae17e84',
  '1764100000004-create-idempotency-keys.ts':
    '70592b7857e7d678a6ab5f4ff8b51889c488e84e7c6624db666769e9f7fdcf01',
  '1764100000005-create-events.ts': '3e3fab59745a4c3f1706bb935e04d9b8281d8036ba401f5d2cc5225cbd0d17d4',
  '1764200000000-add-active.ts': '3086e9e27ded49318edc2b17f5ae5bab4b044fd31823cd04fc1b6f601bb04168',
  '1764200000001-index-active.ts': '1edc7f531a681ea2d9bfd60112172c532ceb067af44620f5ef54efc464fac11b',
  '1764200000002-add-token-limits.ts': '18dff37f1bba04b4135033e58d639ecf8ca08d3431ff3bf1323d6d9d656d4d47',
  '1764200000010-create-scim-users.ts': '70b8035a268274932b45a274aa776bc344bd6b6f2df37ed972a51eeddd1f2a67',
  '1764200000011-index-user-names.ts': '5ac954970b68162686960a11caac7b20e92de0de82d798b9957a78d8ea5a867d',
  '1764200000020-create-groups.ts': 'f54b686333f6bd14459625f51cea44258163eda9b1908d208a346df1587ce62c',
  '1764200000030-create-webhooks.ts': '33d4300fc3148d9dd27a6076d658f8fa580625a7274ada43b0e56d8228e76807',
  '1764200000040-index-user-samples.ts': 'a83bae4e212f9751a9f101dd96e2f6cda14a05b1ca35d696544f2718f492eac2',
  '1764200000041-index-member-events.ts': 'bd286d02aeb9f95849960ee96fdf36d62a7cc3f21aab1c7f87f0227e2d592ac4',
  '1764200000050-create-sign-in-rounds.ts':
    '8a5247f3e7343c0b2ffefabea2e2e967f402899619b41dfb6771e68d9f61b78f',
  '1764200000060-drop-user-samples.ts': '2167a987d6a6893ce40e067286364f8beb880670c07a0ca2016bb77faf88c390',
  '1764200000061-drop-vocabularies.ts': 'fc88522a0a392590b0ae5d87f208d9bb5633fb3797d863d98ca46f71d66fa6e6',
  '1764200000062-add-claim-times.ts': 'c51cfa8cce4a22b354ee4bc26a628a2c61a9eae2441b9ed7552ea793ddbedd2a',
  '1764200000063-add-token-parents.ts': 'fddca9df3537f3b51b10660d48d4cb0ec184e788e3a3ced1cae23817a5ad93d6',
  '1764200000064-index-token-parents.ts': '45b904380528df1eaac8c45fbcc76c1fef8fe783185a89337fa995f3d3244bff',
  '1764200000070-add-organization-states.ts':
    '43a66aedf0a55793bed2ac27e53ebfd3c55cccd781db46e47739da4af2bec088',
  '1764200000071-index-organizations.ts': '4ffd6478c376c0272905b80fdab3edd73932c567f607b70bb94ae75d02587fd6',
  '1764200000080-add-external-ids.ts': '0f66a3791e9d0ebc9f842ab570c9042b72a5388888694767153b1e83af65da7d',
  '1764200000081-index-external-ids.ts': 'a91818bd178b6af3f5d86430d6397202baf964bf4b9ba4117ca0ccd4e0155a55',
  '1764200000090-add-derived-attributes.ts':
    'd111f39e2d4c9b6e45abcdaa27228da6735d2470799a8bfdcdf1e72692cda83d',
  '1764200000100-add-token-networks.ts': '6094d6c1ebedbac2d812f4befd15271ba1a39955b803ec4c4e1836fa9bace4a4',
  '1764200000101-add-on-behalf-of.ts': 'd9e600834978b65ebe98c84e0706cfef00223f4c686996cabd3ee2c4c6088038',
  '1764200000102-add-delivery-errors.ts': 'dd81043f32bb0aa01c2b8a2ac2a3ff0699be620981c407230102a77e8751fe04',
};

const files = readdirSync('migrations').filter((file) => file !== 'index.ts');
const hashOf = (file: string) =>
  createHash('sha256')
    .update(readFileSync(`migrations/${file}`, 'utf8').replaceAll('\r\n', '\n'))
    .digest('hex');

it('each migration is as it was when it landed', () => {
  const changed = Object.keys(LANDED).filter(
    (file) => !files.includes(file) || hashOf(file) !== LANDED[file],
  );
  if (changed.length > 0)
    throw new Error(
      `${changed.join(', ')} was edited or removed, but databases that have run it will not notice. Restore it, and add a new migration.`,
    );
  const lines = files.filter((file) => !(file in LANDED)).map((file) => `\n  '${file}': '${hashOf(file)}',`);
  if (lines.length > 0)
    throw new Error(
      `Once these migrations are final, add them to LANDED in test/database/migrations.spec.ts; from then on nobody may edit them:${lines.join('')}`,
    );
});

it('migrations/index.ts lists every migration', () => {
  const index = readFileSync('migrations/index.ts', 'utf8');
  const unlisted = files.filter((file) => !index.includes(`'./${file.replace('.ts', '')}'`));
  if (unlisted.length > 0) throw new Error(`migrations/index.ts lacks ${unlisted.join(', ')}.`);
  expect(migrations).toHaveLength(files.length);
});

/** Later migrations are held to `locksOf()`. */
const LAST_WITH_LONG_LOCKS = '1764200000062-add-claim-times.ts';

/**
 * How a migration locks tables for longer than it needs to. CREATE INDEX blocks writes for as long as it builds, unless
 * an operator has built the index CONCURRENTLY before. DROP INDEX and ALTER TABLE block reads, too, until the
 * transaction ends.
 */
function locksOf(file: string): string[] {
  const [up] = readFileSync(`migrations/${file}`, 'utf8').split('async down(');
  const own = [...up.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table);
  const built = [...up.matchAll(/CREATE (?:UNIQUE )?INDEX (IF NOT EXISTS )?\S+\s+ON (\w+)/g)].filter(
    ([, , table]) => !own.includes(table),
  );
  return [
    ...(built.some(([, isOptional]) => !isOptional) ? ['CREATE INDEX without IF NOT EXISTS'] : []),
    ...(built.length > 0 && up.includes('DROP INDEX')
      ? ['DROP INDEX belongs in a migration of its own, after this one']
      : []),
    ...(built.some(([, , table]) => new RegExp(`ALTER TABLE ${table}\\b`).test(up))
      ? ['ALTER TABLE belongs in a migration of its own, before this one']
      : []),
  ];
}

it('has no long locks in new migrations, which are found in old ones', () => {
  expect(locksOf('1764200000001-index-active.ts')).toHaveLength(2);
  expect(locksOf('1764200000011-index-user-names.ts')).toHaveLength(1);
  expect(locksOf('1764200000020-create-groups.ts')).toEqual([]);
  const faults = files
    .filter((file) => file > LAST_WITH_LONG_LOCKS)
    .flatMap((file) => locksOf(file).map((lock) => `migrations/${file}: ${lock}`));
  expect(faults).toEqual([]);
});
