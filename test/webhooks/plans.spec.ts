/**
 * @only embedded postgres: it reads the plans of plain tables
 */
import { WebhookClaims } from '../../src/webhooks/deliveries/webhook-claims';
import { rowsReadBy, selectsOf } from '../support/plans';
import { startService, type TestService } from '../support/service';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

const ORGANIZATIONS = 20;
const ROWS = 20_000;

let service: TestService;
beforeAll(async () => {
  service = await startService(WEBHOOK_ENV);
  for (let i = 0; i < ORGANIZATIONS; i++) {
    const api = await service.client();
    await createWebhook(api);
    await createWebhook(api, { enabled: false });
  }
  const api = await service.client();
  const { id } = await createWebhook(api);
  await service.dataSource.query(
    `INSERT INTO events (organization_id, id, type, occurred_at, source, actor_name, target_id)
     SELECT $1, 'evt_' || n, 'user.created', now(), 'cli', 'test', 'usr_' FROM generate_series(1, $2::integer) AS n`,
    [api.organizationId, ROWS],
  );
  await service.dataSource.query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside)
     SELECT $1, 'dlv_' || n, $2, 'evt_' || n, 'user.created', false FROM generate_series(1, $3::integer) AS n`,
    [api.organizationId, id, ROWS],
  );
});
afterAll(() => service.close());

// Twice, because the planner knows nothing of the rows at first.
describe.each(['before', 'after'])('%s ANALYZE', (when) => {
  beforeAll(() => (when === 'after' ? service.dataSource.query('ANALYZE') : undefined));
  const rowsOf = async (run: () => Promise<unknown>) =>
    rowsReadBy(service.dataSource, await selectsOf(service.dataSource, run));

  it('looks for unnumbered events without reading those of an organization that has many', async () => {
    const claims = service.app.get(WebhookClaims, { strict: false });
    expect(await rowsOf(() => claims.behind([]))).toBeLessThan(10 * ORGANIZATIONS);
  });
});
