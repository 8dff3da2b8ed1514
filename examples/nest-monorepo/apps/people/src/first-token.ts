import type { INestApplicationContext } from '@nestjs/common';
import { OrganizationsService, TokensService } from 'user-management-service';

/** A token for whoever comes first; its value is shown this once. */
export async function firstToken(app: INestApplicationContext): Promise<string> {
  const { id } = await app.get(OrganizationsService).create('Example Inc.');
  const { value } = await app.get(TokensService).create(id, { name: 'First', scopes: ['admin'] });
  return value;
}
