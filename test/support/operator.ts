import type { Organization } from '../../client/types';
import { Client } from './client';
import { late } from './late';
import { OPERATOR_TOKEN } from './routes';
import { startService, type TestService } from './service';

export const ORGANIZATIONS = '/v1/organizations';

/** Starts a service with an operator. */
export function useOperator(env: NodeJS.ProcessEnv = {}) {
  let service: TestService | undefined;
  beforeAll(async () => void (service = await startService({ OPERATOR_TOKEN, ...env })));
  afterAll(() => service?.close());

  const operatorAt = ({ url }: { url: string }) => new Client(url, { value: OPERATOR_TOKEN });
  const operator = late(() => operatorAt(service!));
  return {
    service: late(() => service!),
    operator,
    operatorAt,

    async create(fields: object = {}): Promise<Organization> {
      return (await operator.post(ORGANIZATIONS, { name: 'Example', ...fields }).expect(201)).body;
    },

    async change(id: string, changes: object, at = operator): Promise<Organization> {
      return (await at.patch(`${ORGANIZATIONS}/${id}`, changes).expect(200)).body;
    },
  };
}
