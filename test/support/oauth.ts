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

let networks = 0;

/** The header of a network that has not failed yet, because the failures of one are limited. */
export const newNetwork = () => ({
  'X-Forwarded-For': `10.${++networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`,
});

const STATUSES: Record<string, number> = {
  invalid_client: 401,
  slow_down: 429,
  temporarily_unavailable: 503,
};

/** A failure as RFC 6749 has it, with the headers of every response. It repeats no secret. */
export function expectFailure(
  { status, body, headers, text }: Response,
  error: string,
  description: string | RegExp = /./,
): void {
  expect([status, body]).toEqual([
    STATUSES[error] ?? 400,
    { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
  ]);
  expect(body.error_description).toMatch(description);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[\w.-]{1,128}$/),
  });
  expect(text).not.toContain('umt_');
}
