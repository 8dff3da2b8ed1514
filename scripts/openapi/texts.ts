import { DocsModule } from '../../src/docs/docs.module';
import { HealthModule } from '../../src/entry/health/health.module';
import type { Tag } from '../../src/platform/feature/feature';
import { FEATURES } from '../../src/service.module';

/** The introduction of the document, in Markdown. */
export const DESCRIPTION = `Manage an organization's users and API tokens.

## Requests

Requests and responses are JSON in UTF-8; timestamps are ISO 8601 in UTC. HEAD is served wherever GET is. An unknown path is a 404.
A known path answers other methods with a 405 and \`Allow\`.

Unknown fields, unknown query parameters and \`null\` are rejected, never ignored. So is anything in a body that could not be returned
unchanged, at any depth: a NUL, a lone surrogate, an integer beyond ±(2^53 − 1), a key \`__proto__\`, \`constructor\` or \`prototype\`.

Every request may carry an \`X-Request-ID\` of 1 to 128 letters, digits, dots, underscores and hyphens, which the response and the log
repeat. Any other value is replaced by a new id.

## Authentication

Send an API token with every request: \`Authorization: Bearer <token>\`. A token belongs to one organization and reaches nothing
outside it. Its scopes say what it may do: \`users:read\`, \`users:write\`, \`users:delete\`, or \`admin\` for everything; no other scope
implies another. A token value is \`umt_\` followed by 38 letters and digits, the last six of which are a checksum:
\`umt_[0-9A-Za-z]{38}\`. Example tokens have invalid checksums on purpose.

Every response to a token that expires says when, in \`X-Token-Expires-At\`. Replace the token before that:
\`POST /v1/tokens/{id}/rotate\` returns a new one, and both work for a while.

\`POST /oauth/token\` returns a token that lasts an hour, for the id and the value of another token or for the signed assertion of an
issuer that the operators trust. Libraries for OAuth 2.0 can get and renew it.

## Pages

Lists return one page as \`data\`, and the position of the next one as \`nextCursor\`. Repeat the request with that \`cursor\`, or follow
the \`Link\` header, until \`nextCursor\` is null. Whatever is created or deleted meanwhile, every item that
does not change is seen exactly once.

## Rate limit

A token may make 1000 requests in a window of 60 seconds, unless the service is configured otherwise. Every response to a valid
token has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Requests beyond the limit are a 429 with
\`Retry-After\`, and do not count.

## Errors

Every error has the same body, \`application/problem+json\` (RFC 9457), but for those of \`POST /oauth/token\`. Programs should read \`code\` and the codes in \`errors\`; the
other texts are for people. Quote \`requestId\` when you ask for help. Before an operation is reached, the HTTP server may refuse a
request with the codes \`bad_request\` (400), \`request_timeout\` (408), \`expectation_failed\` (417) or \`headers_too_large\` (431).`;

/** The sections of the document, in their order. */
const SECTIONS = [
  'Users',
  'Deleted users',
  'Groups',
  'Statistics',
  'Settings',
  'Tokens',
  'OAuth',
  'Events',
  'Webhooks',
  'Organizations',
  'Health',
  'Docs',
];

const features = [...FEATURES, HealthModule, DocsModule].map(({ feature }) => feature);
const tags = features.flatMap((feature) => feature.tags ?? []).sort((a, b) => placeOf(a) - placeOf(b));

function placeOf({ name }: Tag): number {
  const place = SECTIONS.indexOf(name);
  if (place < 0) throw new Error(`scripts/openapi/texts.ts: SECTIONS lacks ${name}`);
  return place;
}

const prefixes = Object.assign({}, ...features.map(({ ids }) => ids)) as Record<string, string>;

/** The tags, in the order of the document. */
export const TAGS = tags.map(({ name, description }) => ({ name, description }));

/** The parameter `id` of the paths of a tag. */
export const ID_PARAMETERS = Object.fromEntries(
  tags.flatMap(({ name, idOf }) => (idOf === undefined ? [] : [[name, idParameter(idOf)]])),
);

function idParameter(kind: string): object {
  const example = `${prefixes[kind]}_01kacpb2w5r8y3h6j9m4n7p0qx`;
  return { description: `The id of the ${kind}.`, schema: { type: 'string', examples: [example] } };
}

/** Joins the lines of every description's paragraphs: line breaks in a source file are not line breaks of the text. */
export function unwrapAll<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(unwrapAll) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, child]) =>
    key === 'description' && typeof child === 'string'
      ? [key, child.replace(/(?<!\n)\n(?!\n)/g, ' ')]
      : [key, unwrapAll(child)],
  );
  return Object.fromEntries(entries);
}
