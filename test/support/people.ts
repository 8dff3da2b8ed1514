import type { DataSource } from 'typeorm';
import { newId } from '../../src/database/id';
import { Lanes } from '../../src/database/lanes';
import { person } from '../../src/demo/people';
import { Vocabulary } from '../../src/users/search/vocabulary';
import { columnsOf, wordsOf } from '../../src/users/user-columns';
import type { WritableFields } from '../../src/users/user.fields';
import { insertStatement } from '../../src/users/writes/user-statements';

const PER_STATEMENT = 1_000;

/** Adds the sample people `from` to `from + count - 1`, in the service's own statements but without its checks. */
export async function fillOrganization(
  dataSource: DataSource,
  organizationId: string,
  from: number,
  count: number,
  fields: (n: number) => Partial<WritableFields> = () => ({}),
): Promise<void> {
  const vocabulary = new Vocabulary(dataSource, new Lanes(1));
  for (let first = from; first < from + count; first += PER_STATEMENT) {
    const length = Math.min(PER_STATEMENT, from + count - first);
    const rows = Array.from({ length }, (_, i) => ({
      id: newId('usr'),
      columns: columnsOf({ ...person(first + i), ...fields(first + i) } as WritableFields),
    }));
    await vocabulary.learn(
      organizationId,
      rows.flatMap(({ columns }) => wordsOf(columns)),
    );
    await dataSource.query(...insertStatement(dataSource, organizationId, rows));
  }
}
