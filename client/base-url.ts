/**
 * The absolute form of a base URL, ending in a slash. In a browser it may be relative to the page. Throws a `TypeError`
 * if no call could succeed with it.
 */
export function absoluteUrl(baseUrl: string): string {
  const url = resolved(baseUrl);
  const [, version] = /(\/(?:api\/)?v1)\/$/.exec(new URL(url).pathname) ?? [];
  // Judged as it is written, so that "/." can follow a path prefix that really ends like this.
  if (version === undefined || !/v1\/*$/.test(baseUrl)) return url;
  const right = url.slice(0, -`${version}/`.length);
  throw new TypeError(
    `baseUrl must not end in ${version}, which the client adds itself. Use ${right} instead.`,
  );
}

function resolved(baseUrl: string): string {
  try {
    // A Request resolves and rejects URLs exactly as fetch() does, which also throws if there are credentials.
    const { url } = new Request(`${baseUrl.replace(/\/+$/, '')}/`);
    if (/^https?:[^?#]+$/.test(url)) return url;
  } catch {
    // The message below says what to write.
  }
  throw new TypeError(
    'baseUrl must be an http:// or https:// URL, such as http://localhost:3000, without credentials, query or fragment.',
  );
}
