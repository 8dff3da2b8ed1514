import type { DataSource } from 'typeorm';
import { Background } from '../../background/background';
import { WriteStatements } from '../../database/citus/write-statements';
import { Lanes } from '../../database/lanes';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { readConfig } from '../../process/config';
import { DeletedUserReads } from '../../users/deleted/deleted-user-reads';
import { DeletedUsersService } from '../../users/deleted/deleted-users.service';
import { UserPurge } from '../../users/deleted/user-purge';
import { PurgedWords } from '../../users/search/purged-words';
import { VocabularySweep } from '../../users/search/vocabulary-sweep';
import { UserReads } from '../../users/writes/user-reads';
import { UserWrites } from '../../users/writes/user-writes';

/** The service with what it needs, as the modules put it together for the server. */
export async function deletedUsers(dataSource: DataSource): Promise<DeletedUsersService> {
  const [lanes, background] = [new Lanes(1), new Background(false)];
  const keys = new IdempotencyKeys(dataSource, background, lanes);
  const reads = new DeletedUserReads(dataSource, lanes);
  const writes = new UserWrites(
    dataSource.manager,
    new UserReads(dataSource.manager, lanes),
    reads,
    keys,
    new VocabularySweep(dataSource, background),
    lanes,
    await WriteStatements.on(dataSource),
  );
  const purge = new UserPurge(dataSource, reads, keys, new PurgedWords(dataSource, background, lanes), lanes);
  const { deletedUsersRetentionDays } = readConfig(process.env);
  return new DeletedUsersService(dataSource, reads, writes, purge, lanes, deletedUsersRetentionDays);
}
