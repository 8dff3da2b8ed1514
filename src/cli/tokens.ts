import { type Command } from 'commander';
import type { DataSource } from 'typeorm';
import { judged } from '../http/input/judge';
import { type Caller, systemCaller } from '../http/caller';
import { Token } from '../tokens/token.entity';
import { serializeToken } from '../tokens/token.serializer';
import { newTokenValue } from '../tokens/token-value';
import { CreateTokenDto } from '../tokens/tokens.dto';
import { TokensService } from '../tokens/tokens.service';
import { print } from './output';
import { requireOrganization } from './require-organization';
import { withDatabase } from './with-database';

interface Output {
  json?: boolean;
}

export function addTokens(program: Command): void {
  const tokens = program
    .command('tokens')
    .description('make, list and revoke API tokens')
    .addHelpText('after', '\nExample:\n  ums tokens list --organization org_…');

  tokens
    .command('create')
    .description('make a token; its value is printed this once')
    .requiredOption('--organization <id>', 'whose users it may see')
    .requiredOption('--name <name>', 'a label for people')
    .requiredOption('--scopes <scopes>', 'users:read, users:write, users:delete, admin; separated by commas')
    .option('--expires-in <days>', 'how long it is valid, such as 90d; by default it never expires')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  ums tokens create --organization org_… --name CI --scopes users:read,users:write --expires-in 90d',
    )
    .action(async ({ organization, name, scopes, expiresIn, ...output }: CreateOptions) => {
      const input = judged(CreateTokenDto, {
        name,
        scopes: scopes.split(',').map((scope) => scope.trim()),
        ...(expiresIn !== undefined && { expiresIn }),
      });
      const { token, value } = await withDatabase(async (dataSource) => {
        await requireOrganization(dataSource, organization);
        return tokensOf(dataSource).create(systemCaller(organization, 'cli', 'ums tokens create'), input);
      });
      print({ ...serializeToken(token), token: value }, output);
    });

  tokens
    .command('list')
    .description('list the tokens of an organization, newest first')
    .requiredOption('--organization <id>', 'whose')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums tokens list --organization org_…')
    .action(async ({ organization, ...output }: Output & { organization: string }) => {
      const all = await withDatabase(async (dataSource) => {
        await requireOrganization(dataSource, organization);
        return listAll(tokensOf(dataSource), systemCaller(organization, 'cli', 'ums tokens list'));
      });
      print(all.map(serializeToken), output);
    });

  tokens
    .command('revoke')
    .argument('<id>', 'the id of the token, not its value')
    .description('make a token invalid, at once and for good')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums tokens revoke tok_…')
    .action(async (id: string, output: Output) => {
      const revoked = await withDatabase(async (dataSource) => {
        const token = await dataSource.getRepository(Token).findOneBy({ id });
        if (!token)
          throw new Error('There is no such token. List them with: ums tokens list --organization <id>');
        const by = systemCaller(token.organizationId, 'cli', 'ums tokens revoke');
        await tokensOf(dataSource).revoke(by, id);
        return tokensOf(dataSource).get(by, id);
      });
      print(serializeToken(revoked), output);
    });

  tokens
    .command('generate')
    .description('print a well-formed value for BOOTSTRAP_TOKEN; asks no database')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  BOOTSTRAP_TOKEN=$(ums tokens generate) ums start')
    .action(({ json }: Output) => {
      const token = newTokenValue();
      process.stdout.write(`${json ? JSON.stringify({ token }) : token}\n`);
    });
}

interface CreateOptions extends Output {
  organization: string;
  name: string;
  scopes: string;
  expiresIn?: string;
}

const tokensOf = (dataSource: DataSource) => new TokensService(dataSource.getRepository(Token));

async function listAll(tokens: TokensService, by: Caller): Promise<Token[]> {
  const all: Token[] = [];
  let cursor: string | undefined;
  do {
    const page = await tokens.list(by, { limit: 200, cursor });
    all.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return all;
}
