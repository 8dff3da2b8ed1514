import request, { type Response } from 'supertest';

export interface Sent {
  path?: string;
  headers?: Record<string, string>;
}

/** Sends a token request: the fields of a form, or its text. */
export async function exchange(
  url: string,
  form: Record<string, string> | string,
  { path = '/oauth/token', headers = {} }: Sent = {},
): Promise<Response> {
  return request(url)
    .post(path)
    .type('form')
    .set(headers)
    .send(typeof form === 'string' ? form : new URLSearchParams(form).toString());
}

export const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
