import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Exchange {
  path: string;
  headers: IncomingHttpHeaders;
  form: Record<string, string>;
}

/** A server that exchanges any credentials, and answers the calls that its tokens make. */
export interface TokenEndpoint {
  url: string;
  /** The exchanges that it has received. */
  exchanges: Exchange[];
  /** The calls that it has received: method, path and token. */
  calls: string[];
  /** Sends these in response to the next exchanges, in place of a token. */
  answerExchanges(...answers: RequestListener[]): void;
  /** Sends these in response to the next calls, whatever their token is. */
  answerCalls(...answers: RequestListener[]): void;
  /** The life of the next tokens in seconds; at first an hour. */
  expiresIn: number;
  /** Ends all tokens that it has made. */
  revoke(): void;
  close(): Promise<void>;
}

/** A response as the endpoint of the service sends it. */
export const sending =
  (status: number, body: object | string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

export const dropConnection: RequestListener = (_request, response) => void response.destroy();

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const exchangeAnswers: RequestListener[] = [];
  const callAnswers: RequestListener[] = [];
  const active = new Set<string>();

  const issue: RequestListener = (_request, response) => {
    const value = `umt_${endpoint.exchanges.length}`;
    active.add(value);
    const body = {
      access_token: value,
      token_type: 'Bearer',
      expires_in: endpoint.expiresIn,
      scope: 'admin',
    };
    response.end(JSON.stringify(body));
  };
  const answerCall: RequestListener = (request, response) =>
    active.has(`${request.headers.authorization}`.replace('Bearer ', ''))
      ? sending(200, { data: [], nextCursor: null })(request, response)
      : sending(401, { code: 'unauthorized', detail: 'The token is unknown.' })(request, response);

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, url = '', headers } = request;
      if (url.endsWith('/oauth/token')) {
        endpoint.exchanges.push({ path: url, headers, form: Object.fromEntries(new URLSearchParams(body)) });
        (exchangeAnswers.shift() ?? issue)(request, response);
      } else {
        endpoint.calls.push(`${method} ${url} ${headers.authorization}`);
        (callAnswers.shift() ?? answerCall)(request, response);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const endpoint: TokenEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges: [],
    calls: [],
    answerExchanges: (...answers) => void exchangeAnswers.push(...answers),
    answerCalls: (...answers) => void callAnswers.push(...answers),
    expiresIn: 3600,
    revoke: () => active.clear(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return endpoint;
}
