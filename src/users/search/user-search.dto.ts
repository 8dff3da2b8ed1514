import { applyDecorators } from '@nestjs/common';
import { fault, Satisfies, Text } from '../../platform/http/input/checks';
import { fold } from '../user/fold';
import { UsersQuery } from '../query/users-query.dto';

const MAX_WORDS = 10;

/** Text within the word limit of the search, which counts folded words: some characters fold to several words. */
const SearchText = () =>
  applyDecorators(
    Text(2, 200),
    Satisfies(
      'maxWords',
      [MAX_WORDS],
      (value) => typeof value === 'string' && fold(value).split(' ').length <= MAX_WORDS,
      fault('too_many', `must have at most ${MAX_WORDS} words`),
    ),
  );

export class SearchUsersDto extends UsersQuery {
  /**
   * Up to 10 words, all of which must be found at the start of a word or inside one, in the name, the email or a string
   * value of the metadata. A word of one or two letters is found only at the start of words. An id is found by its full
   * text or by at least its first 12 characters, and an external id by its full text. There is no special syntax.
   * @example 'ada lovelace'
   */
  @SearchText()
  q: string;
}
