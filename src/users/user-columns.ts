import { fold, markWords, stringsIn } from './search/search-text';
import { vocabularyOf } from './search/spelling';
import { emailKey, type Metadata, nameKey, type Role } from './user.entity';

export interface UserFields {
  name?: string;
  email?: string;
  role?: Role;
  metadata?: Metadata;
}

/** Names are sorted by this many characters, or compatibility forms that unfold to many would not fit into an index. */
const MAX_NAME_WORDS = 300;

/** The columns that the given fields decide, and no others: each with its keys and with what is searched of it. */
export const columnsOf = ({ name, email, role, metadata }: UserFields) => ({
  ...(name !== undefined && { name, nameKey: nameKey(name), nameWords: nameWords(name) }),
  ...(email !== undefined && { email, emailKey: emailKey(email), emailWords: searched(email) }),
  ...(role !== undefined && { role }),
  ...(metadata !== undefined && { metadata: metadata as object, metadataWords: metadataWords(metadata) }),
});

export type UserColumns = ReturnType<typeof columnsOf>;

/** The words by which typos in a query are understood. */
export const wordsOf = ({ nameWords = '', emailWords = '', metadataWords = '' }: Partial<UserColumns>) =>
  vocabularyOf(nameWords, emailWords, metadataWords);

const searched = (text: string) => markWords(fold(text));

const nameWords = (name: string) => [...searched(name)].slice(0, MAX_NAME_WORDS).join('');

const metadataWords = (metadata: Metadata) => [...stringsIn(metadata)].map(searched).join('\n');

/** What the columns of `columnsOf` are called in a statement. */
export const COLUMN_NAMES = {
  name: 'name',
  nameKey: 'name_key',
  nameWords: 'name_words',
  email: 'email',
  emailKey: 'email_key',
  emailWords: 'email_words',
  role: 'role',
  metadata: 'metadata',
  metadataWords: 'metadata_words',
} satisfies Record<keyof UserColumns, string>;
