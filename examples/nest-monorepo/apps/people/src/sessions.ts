import type { HostPerson, HostSignIn } from 'user-management-service';

/** Stands for the sessions of the application: who has signed in, by the value of the cookie. */
export const sessions = new Map<string, HostPerson>();

/** Whoever is signed in to the application may open the dashboard. */
export const signIn: HostSignIn = ({ headers }) => {
  const [, id = ''] = /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? '') ?? [];
  return sessions.get(id) ?? null;
};
