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
    'The caller’s, when it has up to 128 letters, digits, dots, underscores and hyphens; else a new one.',
    '3a5101a9-3992-49b0-9ed3-81ebaca42682',
  ),
  'X-RateLimit-Limit': number('Requests of the token in a window of 60 seconds.', 1000),
  'X-RateLimit-Remaining': number('Requests that are left in the window.', 999),
  'X-RateLimit-Reset': number('When the window ends, in Unix seconds.', 1769851860),
  'Retry-After': number('Seconds after which to try again.', 17),
  'WWW-Authenticate': text('What is missing (RFC 6750).', 'Bearer error="invalid_token"'),
  'Cache-Control': text('No answer is to be stored.', 'no-store'),
  'X-Content-Type-Options': text('The type is what Content-Type says.', 'nosniff'),
  Location: text('The path of what was made.', '/api/v1/users/usr_01kacpb2w5r8y3h6j9m4n7p0qx'),
  Link: text('The next page, while there is one.', '</api/v1/users?cursor=…>; rel="next"'),
};

export const COMMON = ['X-Request-ID', 'Cache-Control', 'X-Content-Type-Options'];
export const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const headerRefs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
