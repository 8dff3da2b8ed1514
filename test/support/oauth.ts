import request, { type Response } from 'supertest';
import { deviated } from './client';
import { deviations } from './openapi';

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
  const response = await request(url)
    .post(path)
    .type('form')
    .set(headers)
    .send(typeof form === 'string' ? form : new URLSearchParams(form).toString());
  deviated.push(...deviations('post', path, response));
  return response;
}

export const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
