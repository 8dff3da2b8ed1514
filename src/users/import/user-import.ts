import type { DataSource } from 'typeorm';
import { Lanes } from '../../database/lanes';
import type { Caller } from '../../http/caller';
import type { Mode } from '../batch/batch-rules';
import { BatchWrites } from '../batch/batch-writes';
import { Vocabulary } from '../search/vocabulary';
import { wordsOf } from '../user-columns';
import { judgeRows, type Outcome, outcomeOf } from './import-rows';

/**
 * Imports the users of a file; each row is validated as in the API. The rows of a call are one transaction. In the mode `create`,
 * a row that equals an existing user changes nothing, so an interrupted import resumes when it is run again.
 */
export class UserImport {
  private readonly writes: BatchWrites;
  private readonly vocabulary: Vocabulary;

  constructor(
    dataSource: DataSource,
    private readonly by: Caller,
    private readonly mode: Mode,
  ) {
    const lanes = new Lanes(1);
    this.writes = new BatchWrites(dataSource, lanes);
    this.vocabulary = new Vocabulary(dataSource, lanes);
  }

  /** Returns the outcomes in the order of the rows. If it throws, nothing was written. */
  async add(rows: unknown[]): Promise<Outcome[]> {
    const { mode, by } = this;
    const { decisions, written } = await this.writes.write(by, judgeRows(rows, mode), {
      mode,
      mayRepeat: true,
    });
    // Afterwards, so that no request waits for the transaction.
    await this.vocabulary.learn(by.organizationId, written.flatMap(wordsOf));
    return decisions.map(outcomeOf);
  }
}
