import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The SHA-256 of each migration that has landed. A database that has run it never runs it again. */
const LANDED: Record<string, string> = {
  '1763600000000-create-tables.ts': 'c8e4e67b2440fe25d8cf29410f6cb38c577da1eb60b7ccd678fbb3eb1cc80b88',
  '1763600000001-create-search.ts': '3abf72a5fc7fbc3c286db5381bb5d8d25b60ba288fd1cecbca4113c9a41fb3d7',
  '1763600000002-create-sort-in.ts': '2c079b26cf1b64315acef4a6613660705c655a89c5b17a74cf54f78ef9662fa3',
  '1763700000000-create-user-search.ts': '149d92d7068bfdb576e4e5b243ff4d2a8ecbb3e68205c7fce8c66de2c5694b99',
  '1763700000001-fill-user-search.ts': '475673798f5c4bd05081a36f8a6f21af5d59300b0c05a90847372e04209a54a6',
  '1763700000002-drop-former-search.ts': 'ba9f6476257935cb0fa4d5347930fdcdb0e09b835b3a14aa39d02dd3553808b0',
  '1763700000003-index-users.ts': '29c512fff99ba1a75bd85ac160cc2ba7e9ef8e4ac4c63c891a36fc3c51f1ec5d',
  '1763800000000-add-external-id.ts': '038a602277fb543700eb4c400e1f6576b9e416c60f0764777b6316152bf1599b',
  '1763800000001-add-version.ts': '85135f105588b645a1b3bc4dad9b878a65d071960d02d5e3678ad908a67fd909',
  '1763800000002-create-idempotency-keys.ts':
    '3a50a555360185370ff8d63cb33467a221252e333a83d1bd15cdfe88ca534719',
  '1763900000000-window-by-organization.ts':
    'dfa94563e5f4c56753a019dcd81707d542f674fad98ee1798d066866c57caa76',
  '1763900000001-create-events.ts': 'faf6d7ad877c4a99c92a7cdbe7211438ad66902f7aa147b29dd0fb20388c02c3',
  '1763900000002-create-subscribers.ts': '7cfe8016f8f24c8ba7452b5e21bd2b811de1ff1179b6b769ab1a4877e6ffac3b',
  '1764000000000-create-deleted-users.ts': 'e53989b0abcf84627be6e5f0fde80b623b89a7a179d4fcfc24cf1d1f9571ee04',
  '1764000000001-lease-idempotency-keys.ts':
    'cc05f06c24453b66a0460368cc75afc7a51cb112d196cb5a4c9e3029efb8df39',
  '1764000000002-token-life.ts': 'ab4b30316324e34be1b21bdaaecc4a70834feb855169a2c3808e35053daef65b',
  '1764000000003-drop-leak-reporters.ts': '5c65aaf5bc23fd5729f2922b1707c33b40864952dcff94ff8fdb48e89ab797e9',
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
