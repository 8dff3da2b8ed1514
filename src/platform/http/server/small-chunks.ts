import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** A body may have this many chunks of any size, and one more for each `BYTES_PER_CHUNK`. */
const FREE_CHUNKS = 256;
const BYTES_PER_CHUNK = 256;

export const SMALL_CHUNKS = 'SMALL_CHUNKS';

type OnBody = (this: Parser, chunk: Buffer) => unknown;

/** Node's parser of a connection. It calls the function at this index for each chunk of a body, read or not. */
type Parser = Record<number, OnBody | undefined> & {
  incoming: IncomingMessage | null;
  constructor: { kOnBody?: number };
};

const limited = new WeakSet<Parser>();

/**
 * Refuses bodies in very many small chunks. Node takes some microseconds for each, and parses all of a packet at once:
 * ten thousand in 64 KB kept the event loop for 50 ms, on any path, without a token, and after the response as well.
 */
export function limitSmallChunks(server: Server): void {
  server.on('connection', (socket: Socket & { parser?: Parser }) => {
    const { parser } = socket;
    const index = parser?.constructor.kOnBody;
    const onBody = index === undefined ? undefined : parser?.[index];
    if (!parser || index === undefined || !onBody || limited.has(parser)) return;
    limited.add(parser); // Node uses it for other connections, too
    let request: IncomingMessage | null = null;
    let chunks = 0;
    let bytes = 0;
    parser[index] = function limit(chunk) {
      if (parser.incoming !== request) [request, chunks, bytes] = [parser.incoming, 0, 0];
      chunks++;
      bytes += chunk.length;
      const isChunked = request?.headers['transfer-encoding'] !== undefined;
      if (!isChunked || chunks <= FREE_CHUNKS + bytes / BYTES_PER_CHUNK) return onBody.call(parser, chunk);
      refuse(server, request!.socket, parser, index, limit);
    };
  });
}

/** The rest of the packet is parsed without a call for each chunk. */
function refuse(server: Server, socket: Socket, parser: Parser, index: number, onBody: OnBody): void {
  parser[index] = undefined;
  socket.once('close', () => (parser[index] = onBody));
  const error = Object.assign(new Error('The body comes in small chunks.'), { code: SMALL_CHUNKS });
  server.emit('clientError', error, socket);
}
