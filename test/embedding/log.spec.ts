/**
 * @only embedded: a log does not depend on the database
 */
import { Logger } from '@nestjs/common';
import { UserManagementModule } from '../../src';
import { startHost } from '../support/host';

/** What a host with the service logs while it starts, each line with the name of its logger. */
async function startLog(prefix: string): Promise<string[]> {
  const log = jest.spyOn(Logger.prototype, 'log');
  try {
    const host = await startHost([UserManagementModule.forRoot({ schema: 'ums', prefix })]);
    await host.close();
    const contexts = log.mock.contexts as unknown as { context: string }[];
    return log.mock.calls.map(([message], index) => `[${contexts[index].context}] ${message}`);
  } finally {
    log.mockRestore();
  }
}

it('the log names the path of the service, and no route without that path', async () => {
  const lines = await startLog('internal');

  expect(lines).toContain('[UserManagementModule] User Management Service mounted at /backend/internal');
  const routes = lines.filter((line) => line.includes('Mapped {'));
  expect(routes).toContain('[RouterExplorer] Mapped {/backend/echo, POST} (version: 1) route');
  expect(routes.filter((line) => !line.includes('{/backend/'))).toEqual([]);
  expect(routes.filter((line) => line.includes('/tokens'))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('[RoutesResolver] TokensController'))).toEqual([]);
});
