const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

/**
 * The request that a webhook gets. Its body is an event of the feed; a test has no `sequence`, and a thin payload no
 * `data`.
 */
export const WEBHOOK = {
  post: {
    operationId: 'webhooks.receive',
    tags: ['Webhooks'],
    summary: 'Receive an event',
    description:
      'An event as `GET /api/v1/events/{id}` returns it, sent by the service to the URL of a webhook. Any 2xx within 15 s is a success; ' +
      'anything else is tried again, up to ten times in three days. A 410 disables the webhook.',
    security: [],
    parameters: [
      header(
        'webhook-id',
        'The id of the event: the same in each attempt. Use it to recognize repeated events.',
        'evt_01kacpb2w5r8y3h6j9m4n7p0qx',
      ),
      header('webhook-timestamp', 'When this attempt was made, in Unix seconds.', '1769851800'),
      header(
        'webhook-signature',
        'HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64 after `v1,`; two of them, separated by a space, while a ' +
          'secret is being replaced.',
        'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      ),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } },
    },
    responses: {
      '2XX': { description: 'The event has been received.' },
      410: { description: 'The receiver no longer exists: the webhook is disabled.' },
      429: { description: 'Too many requests: nothing is sent for the time that `Retry-After` names.' },
    },
  },
};
