import type { TestService } from './service';

/** What a browser does in a sign-in, without a browser: it follows redirects, and keeps the cookies of one host. */
export class Browse {
  cookies = new Map<string, string>();
  /** Every address visited. */
  visited: string[] = [];

  constructor(
    private readonly service: Pick<TestService, 'url'>,
    readonly publicUrl: string,
  ) {}

  /** One request, at the service if it is for the public address. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    this.visited.push(url);
    const isService = url.startsWith(this.publicUrl);
    const response = await fetch(isService ? this.service.url + url.slice(this.publicUrl.length) : url, {
      ...init,
      redirect: 'manual',
      headers: { ...(isService && { Cookie: this.cookieHeader() }), ...init.headers },
    });
    for (const line of isService ? response.headers.getSetCookie() : []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Signs in, up to the address at the service that the issuer sends the browser back to. */
  async untilCallback(query = ''): Promise<string> {
    const begun = await this.request(`${this.publicUrl}/dashboard/sign-in${query}`);
    expect(begun.status).toBe(303);
    const issued = await this.request(begun.headers.get('Location')!);
    return issued.headers.get('Location')!;
  }

  /** Signs in, up to the answer of the callback. */
  signIn = async (query = '') => this.request(await this.untilCallback(query));

  /** Fetches the value of the token, as the page does. */
  fetchSession = (body?: object, origin = new URL(this.publicUrl).origin) =>
    this.request(`${this.publicUrl}/dashboard/session`, {
      method: 'POST',
      headers: { Origin: origin, ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });

  private cookieHeader = () => [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
