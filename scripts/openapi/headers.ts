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
    'The X-Request-ID of the request if it is well-formed (1 to 128 letters, digits, dots, underscores or hyphens), otherwise a new one.',
    '3a5101a9-3992-49b0-9ed3-81ebaca42682',
  ),
  'X-RateLimit-Limit': number('Requests allowed per token in a window of 60 seconds.', 1000),
  'X-RateLimit-Remaining': number('Requests left in the current window.', 999),
  'X-RateLimit-Reset': number('The end of the window, in Unix seconds.', 1769851860),
  'Retry-After': number('Seconds to wait before retrying.', 17),
  'WWW-Authenticate': text('The reason for the rejection (RFC 6750).', 'Bearer error="invalid_token"'),
  'Cache-Control': text('Responses must not be stored.', 'no-store'),
  'X-Content-Type-Options': text('Browsers must not guess a type other than Content-Type.', 'nosniff'),
  Location: text('The path of the created resource.', '/api/v1/users/usr_01kacpb2w5r8y3h6j9m4n7p0qx'),
  Link: text('The next page; absent on the last page.', '</api/v1/users?cursor=…>; rel="next"'),
};

export const COMMON = ['X-Request-ID', 'Cache-Control', 'X-Content-Type-Options'];
export const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
