import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../database/database';
import { describeError } from '../../../database/errors';
import { keepForSweep, type NewText } from '../search-texts';
import { VocabularySweep } from './vocabulary-sweep';
import { insertWords, wordsOf } from './words';

/** The words of the users of each organization. Misspelt words of queries are corrected to these. */
@Injectable()
export class Vocabulary {
  private readonly logger = new Logger('Vocabulary');

  constructor(private readonly sweep: VocabularySweep) {}

  /**
   * Stores the words of users after they have been committed: an insert waits for another transaction that inserts the same
   * word, and must not hold up the users. In a transaction of the host, whose end is unknown, the sweep stores them. A word
   * that cannot be stored is found as it is spelt, but not with a typo.
   */
  async learn(database: Database, organizationId: string, texts: readonly NewText[]): Promise<void> {
    if (texts.length === 0) return;
    try {
      if (database.isJoined) {
        const kept = texts.map((text) => ({ organizationId, ...text }));
        await database.write(organizationId, (manager) => keepForSweep(manager, kept));
        this.sweep.trigger();
      } else {
        const words = new Set(texts.flatMap(({ text }) => wordsOf(text)));
        await insertWords(database, organizationId, words);
      }
    } catch (error) {
      this.logger.warn({
        message: 'cannot store words of users',
        organizationId,
        error: describeError(error),
      });
    }
  }
}
