import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Closes connections that are idle for the time that the server allows, unless the caller waits for a response. */
export function closeIdleConnections(server: Server): void {
  server.on('timeout', (connection: Socket & { _httpMessage?: ServerResponse }) => {
    const response = connection._httpMessage;
    const isAwaited = response?.req.complete && !response.headersSent;
    if (!isAwaited) connection.destroy();
  });
}
