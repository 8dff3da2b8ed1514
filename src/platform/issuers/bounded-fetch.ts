/** Discovery documents, keys and tokens have some kilobytes. */
const MAX_BYTES = 1_000_000;

/** `fetch`, with a limit on the length of a response. */
export async function boundedFetch(url: string, options?: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (!response.body) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) throw new Error('the response is too long');
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(count), { status, statusText, headers });
}
