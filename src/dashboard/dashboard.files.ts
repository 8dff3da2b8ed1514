import { readFileSync } from 'node:fs';
import {
  builtFile,
  builtNames,
  fileOf,
  isBuilt,
  pageHeaders,
  readBuilt,
  type SentFile,
} from '../platform/http/built-file';
import { escapeHtml } from './html';

/** The page, which refers to the files beside it. */
export const PAGE_FILE = 'dashboard/index.html';

/** The headers of every page of the dashboard. They also forbid turning text into markup or code. */
export const PAGE_HEADERS = pageHeaders("'self'", "require-trusted-types-for 'script'");

/** The paths of the page, the same as in `dashboard/routes.ts`; any other is a 404. A test compares them. */
const PAGE_PATH =
  /^\/dashboard(?:\/(?:deleted|activity|settings)|\/(?:users|tokens|groups|webhooks)(?:\/[\w-]{1,64})?)?$/;

/**
 * The files of the page by the path they are served at. They are few and small, so they are read once, and no request
 * can reach another file.
 */
export function readFiles(): Map<string, SentFile> {
  const names = namesOfFiles();
  // The names contain a hash of the content.
  const headers = { ...PAGE_HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return new Map(
    names.map((name) => [`/dashboard/${name}`, readBuilt(`dashboard/dashboard/${name}`, headers)]),
  );
}

/** Whether the page has a section at this path. */
export const isPagePath = (path: string): boolean => PAGE_PATH.test(path);

/** What the page is told about the service. */
interface PageFacts {
  /** Whether people can sign in without the value of a token. */
  hasSignIn: boolean;
  hasDocs: boolean;
  title?: string;
}

const metaElements = ({ hasSignIn, hasDocs, title }: PageFacts): string =>
  (hasSignIn ? '<meta name="sign-in" content="yes" />' : '') +
  (hasDocs ? '<meta name="docs" content="yes" />' : '') +
  (title === undefined ? '' : `<meta name="dashboard-title" content="${escapeHtml(title)}" />`);

/** Returns a function that finds the page for a path; undefined if there is no section, or no page yet. */
export function readPage(facts: PageFacts): (path: string) => SentFile | undefined {
  if (!isBuilt(PAGE_FILE)) return () => undefined;
  const built = readFileSync(builtFile(PAGE_FILE), 'utf8');
  const [head, body] = built.split('</head>');
  // The links in it are relative, because a host or a gateway may prefix the path, so they depend on its depth.
  const byDepth = ['./', '../', '../../'].map((up) =>
    fileOf(
      PAGE_FILE,
      Buffer.from(`${head.replaceAll('="./', `="${up}`)}${metaElements(facts)}</head>${body}`),
      {
        ...PAGE_HEADERS,
        'Cache-Control': 'no-store',
      },
    ),
  );
  return (path) => (isPagePath(path) ? byDepth[path.split('/').length - 2] : undefined);
}

const namesOfFiles = () => builtNames('dashboard/dashboard', PAGE_FILE);

/** The name of the style sheet, below `/dashboard/`. */
export const stylesheet = (): string => namesOfFiles().find((name) => name.endsWith('.css')) ?? '';
