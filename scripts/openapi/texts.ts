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

## Pages

Lists return one page as \`data\`, and the position of the next one as \`nextCursor\`. Repeat the request with that \`cursor\`, or follow
the \`Link\` header, until \`nextCursor\` is null. Whatever is created or deleted meanwhile, every item that
does not change is seen exactly once.

## Rate limit

A token may make 1000 requests in a window of 60 seconds, unless the service is configured otherwise. Every response to a valid
token has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Requests beyond the limit are a 429 with
\`Retry-After\`, and do not count.

## Errors

Every error has the same body, \`application/problem+json\` (RFC 9457). Programs should read \`code\` and the codes in \`errors\`; the
other texts are for people. Quote \`requestId\` when you ask for help. Before an operation is reached, the HTTP server may refuse a
request with the codes \`bad_request\` (400), \`request_timeout\` (408), \`expectation_failed\` (417) or \`headers_too_large\` (431).`;

/** The tags, in the order of the document. */
export const TAGS = [
  { name: 'Users', description: 'The users of the organization.' },
  {
    name: 'Deleted users',
    description:
      'Deleted users. They can be restored until they are purged; no list, search or filter of users finds them.',
  },
  {
    name: 'Groups',
    description:
      'The groups of a directory. Only the directory writes them. They are data, and grant nothing.',
  },
  { name: 'Statistics', description: 'The organization at a glance.' },
  {
    name: 'Tokens',
    description:
      'The API tokens of the organization. These operations are also served below `/api`, as `/api/v1/tokens`, so that a gateway ' +
      'needs only one rule.',
  },
  {
    name: 'Events',
    description: 'What has happened in the organization: its audit trail, and a feed to follow.',
  },
  {
    name: 'Webhooks',
    description:
      'URLs to which the service sends events, signed as Standard Webhooks defines it. Each event is sent at least once; ' +
      'without `ordering`, in any order.',
  },
  { name: 'Health', description: 'Probes for load balancers and orchestrators.' },
  { name: 'Docs', description: 'This document, for programs and for people.' },
];

const idParameter = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});

/** The parameter `id` of the paths of a tag. */
export const ID_PARAMETERS: Record<string, object> = {
  Users: idParameter('The id of the user.', 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'),
  'Deleted users': idParameter('The id of the user.', 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'),
  Groups: idParameter('The id of the group.', 'grp_01kacpb2w5r8y3h6j9m4n7p0qx'),
  Events: idParameter('The id of the event.', 'evt_01kacpb2w5r8y3h6j9m4n7p0qx'),
  Webhooks: idParameter('The id of the webhook.', 'whk_01kacpb2w5r8y3h6j9m4n7p0qx'),
  Tokens: idParameter('The id of the token.', 'tok_01kacpb2w5r8y3h6j9m4n7p0qx'),
};

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
