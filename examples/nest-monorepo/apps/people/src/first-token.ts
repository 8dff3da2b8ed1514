import type { INestApplicationContext } from '@nestjs/common';
import { OrganizationsService, TokensService } from 'user-management-service';

/** Creates an organization with an admin token and returns the token, which cannot be read again. */
export async function firstToken(app: INestApplicationContext): Promise<string> {
  const { id } = await app.get(OrganizationsService).create('Example Inc.');
  const { value } = await app.get(TokensService).create(id, { name: 'First', scopes: ['admin'] });
  return value;
}
