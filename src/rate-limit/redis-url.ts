/** Whether the Redis client accepts this URL. */
export function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password, pathname } = new URL(text);
  return hostname !== '' && /^(\/\d*)?$/.test(pathname) && isDecodable(`${username}:${password}`);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
