import { useApi } from './service';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

interface TokenBody {
  id: string;
  name: string;
  token: string;
  state: string;
  expiresAt: string;
  createdAt: string;
}

/** Starts a service; each test has a client of a new organization, whose tokens it creates, reads and lets end. */
export function useTokens() {
  const { service, api } = useApi();

  const create = async (fields: object = {}): Promise<TokenBody> =>
    (await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], ...fields }).expect(201)).body;

  const get = async (id: string): Promise<TokenBody> => (await api.get(`/v1/tokens/${id}`).expect(200)).body;

  /** The events of tokens but for those that tell of a new one. */
  const events = async () =>
    (await api.get('/api/v1/events?limit=200').expect(200)).body.data.filter(
      ({ type }: { type: string }) => type !== 'token.created',
    );

  /** Moves the end of a token to so many days from now. */
  /** A millisecond earlier, because PostgreSQL may round the time up. */
  const endIn = (id: string, days: number) =>
    service.dataSource.query(
      `UPDATE tokens SET expires_at = now() - interval '1 ms' + $2 * interval '24 hours' WHERE id = $1`,
      [id, days],
    );

  return { service, api, create, get, events, endIn };
}

/** The time between two timestamps of one response, or of two. */
export const between = (from: string, to: string) => Date.parse(to) - Date.parse(from);
