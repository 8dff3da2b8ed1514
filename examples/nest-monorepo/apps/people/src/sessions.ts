import type { HostPerson, HostSignIn, UserManagementOptions } from 'user-management-service';

/** Stands for the sessions of the application: who has signed in, by the value of the cookie. */
export const sessions = new Map<string, HostPerson>();

/** Whoever is signed in to the application may open the dashboard. */
export const signIn: HostSignIn = ({ headers }) => {
  const [, id = ''] = /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? '') ?? [];
  return sessions.get(id) ?? null;
};

/** The user of the service behind the same session, whose `externalId` is the id of the person in the application. */
export const currentUser: UserManagementOptions['currentUser'] = async (request) => {
  const person = await signIn(request);
  return person?.subject ? { organizationId: person.organizationId, externalId: person.subject } : null;
};
