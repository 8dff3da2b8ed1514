import { builtNames, fileOf, isBuilt, pageHeaders, readBuilt, type SentFile } from '../http/built-file';
import document from '../../openapi.json';

const INDEX = 'docs/index.html';

/** Callers keep the files, and ask each time whether they are still the same. */
const CACHING = { 'Cache-Control': 'no-cache' };

const HEADERS = { ...CACHING, ...pageHeaders("'none'") };

/** The page, unless only the code has been built. */
export const readDocsPage = (): SentFile | undefined =>
  isBuilt(INDEX) ? readBuilt(INDEX, HEADERS) : undefined;

/** The files below `/docs/`, by name: Swagger UI with its licence, and our own. */
export const readDocsFiles = (): Map<string, SentFile> =>
  new Map(builtNames('docs/docs', INDEX).map((name) => [name, readBuilt(`docs/docs/${name}`, HEADERS)]));

/** The OpenAPI document, compressed if the build has done so. */
export const readDocument = (): SentFile =>
  isBuilt('docs/openapi.json')
    ? readBuilt('docs/openapi.json', CACHING)
    : fileOf('openapi.json', Buffer.from(JSON.stringify(document)), CACHING);
