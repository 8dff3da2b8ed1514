import { ServiceUnavailableException } from '@nestjs/common';
import type { Client, UserBody } from './client';

const ATTEMPTS = 5;

/** Repeats a search that a busy machine has made slower than its time limit. */
export async function inTime<Result>(search: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await search();
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The users of the first page of a search. */
export const find = async (api: Client, q: string, more = ''): Promise<UserBody[]> => {
  const { body } = await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}${more}`).expect(200);
  return body.data;
};

export const names = async (api: Client, q: string, more = '') =>
  (await find(api, q, more)).map(({ name }) => name);

/** Reads all pages of a search. */
export async function walk(api: Client, q: string, limit: number): Promise<UserBody[]> {
  const users: UserBody[] = [];
  let path = `/api/v1/users/search?q=${encodeURIComponent(q)}&limit=${limit}`;
  for (let pages = 0; pages < 500; pages++) {
    const { body, headers } = await api.get(path).expect(200);
    users.push(...body.data);
    if (!body.nextCursor) return users;
    path = /^<(.*)>/.exec(headers.link)![1];
  }
  throw new Error('the list does not end');
}
