// A PostgreSQL in a process of its own, because Jest cannot load its modules. It has the key and certificate of
// server.pem in the directory of its argument, and TLS is off. Prints its port, and stops at the end of standard input.
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCluster, unprivilegedUser } from '../../../scripts/postgres.mjs';

const [, , directory] = process.argv;
const pem = join(directory, 'server.pem');
writeFileSync(pem, readFileSync('test/support/tls/localhost.pem'), { mode: 0o600 });
const owner = unprivilegedUser();
if (owner) chownSync(pem, owner.uid, owner.gid);
const { port, stop } = await makeCluster(directory, { ssl_cert_file: pem, ssl_key_file: pem });
process.stdin.on('end', () => stop()).resume();
process.stdout.write(`${port}\n`);
