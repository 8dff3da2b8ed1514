const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const number = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', examples: [example] },
});

/** Every header of a response. */
export const HEADERS = {
  'X-Request-ID': text(
    'The id of the request: the one that was sent if it has 1 to 128 letters, digits, dots, underscores and hyphens, otherwise a new one.',
    '3a5101a9-3992-49b0-9ed3-81ebaca42682',
  ),
  'X-RateLimit-Limit': number('How many requests the token may make in a window of 60 seconds.', 1000),
  'X-RateLimit-Remaining': number('How many requests are left in the current window.', 999),
  'X-RateLimit-Reset': number('When the window ends, in Unix seconds.', 1769851860),
  'X-Token-Expires-At': text('When the token expires; absent if it never does.', '2026-05-01T09:30:00.000Z'),
  'Retry-After': number('How many seconds to wait before retrying.', 17),
  'WWW-Authenticate': text('Why the request was rejected (RFC 6750).', 'Bearer error="invalid_token"'),
  'Cache-Control': text(
    '`no-store`: caches must not store the response. `no-cache`: they must ask whether it has changed.',
    'no-store',
  ),
  'X-Content-Type-Options': text('Browsers must not guess another type than `Content-Type`.', 'nosniff'),
  ETag: text('The version of what is shown, for `If-Match` and `If-None-Match`.', '"1"'),
  'Idempotent-Replayed': text(
    'Whether the response is that of an earlier request with the same `Idempotency-Key`; absent otherwise.',
    'true',
  ),
  Location: text('The path of the created resource.', '/api/v1/users/usr_01kacpb2w5r8y3h6j9m4n7p0qx'),
  'Content-Disposition': text(
    'Asks browsers to save the response as a file.',
    'attachment; filename="usr_01kacpb2w5r8y3h6j9m4n7p0qx.json"',
  ),
  Link: text('The path of the next page; absent on the last page.', '</api/v1/users?cursor=…>; rel="next"'),
};

export const COMMON = ['X-Request-ID', 'Cache-Control', 'X-Content-Type-Options'];
/** The headers of every response to a valid token. */
export const AUTHENTICATED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Token-Expires-At',
];

export const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
