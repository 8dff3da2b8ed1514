import { BadRequestException } from '@nestjs/common';
import { type Command } from 'commander';
import type { Fault } from '../../platform/http/fault';
import { validateOrThrow } from '../../platform/http/input/validate';
import { readConfig } from '../process/config';
import { messageOf } from '../process/failure';
import { Token } from '../../tokens/token/token.entity';
import { newTokenValue } from '../../tokens/token/token-value';
import { CreateTokenDto, RotateTokenDto } from '../../tokens/token/token.dto';
import { TokensService } from '../../tokens/tokens.service';
import { addSubcommand, type OutputOptions, print } from './output';
import type { Shell } from './shell';
import { addList, organizationOption, withOrganization, withRow } from './with-service';

const TOKEN = {
  entity: Token,
  missing: 'There is no such token. List them with: ums tokens list --organization <id>',
};

export function tokensCommand(tokens: Command, shell: Shell): void {
  addList(
    shell,
    tokens,
    'list the tokens of an organization, newest first',
    (app, by, page) => app.get(TokensService).list(by, page),
    ...['id', 'name', 'state', 'expiresAt', 'scopes'],
  );

  const create = addSubcommand(
    tokens,
    'create',
    'create a token; its value is shown only once',
    '--organization org_… --name CI --scopes users:read,users:write --expires-in 90d',
  );
  organizationOption(create, 'the organization that the token gives access to')
    .requiredOption('--name <name>', 'a name to recognize the token by')
    .requiredOption('--scopes <scopes>', 'comma-separated: users:read, users:write, users:delete, admin')
    .option('--expires-in <days>', 'lifetime in days, such as 90d; without it the token never expires')
    .option(
      '--rate-limit <requests>',
      'requests per minute, at most 100000; without it the limit of the service applies',
    )
    .option(
      '--allowed-networks <networks>',
      'comma-separated, such as 203.0.113.0/24; without it the token works from anywhere',
    )
    .action(async ({ organization, ...given }: CreateOptions) => {
      const { name, scopes, expiresIn, rateLimit, allowedNetworks, ...output } = given;
      const input = validateOrThrow(CreateTokenDto, {
        name,
        scopes: listed(scopes),
        expiresIn,
        rateLimit: /^\d+$/.test(rateLimit ?? '') ? Number(rateLimit) : rateLimit, // text is no number
        allowedNetworks: allowedNetworks === undefined ? undefined : listed(allowedNetworks),
      });
      const { token, value } = await withOrganization(
        shell,
        { organization, command: 'ums tokens create' },
        (app, by) => app.get(TokensService).create(by, input).catch(nameOption(shell.env)),
      );
      print(shell, { ...token, token: value }, output);
    });

  addSubcommand(tokens, 'revoke', 'revoke a token, immediately and permanently', 'tok_…')
    .argument('<id>', 'the ID of the token, not its value')
    .action(async (id: string, output: OutputOptions) => {
      const revoked = await withRow(
        shell,
        { ...TOKEN, id, command: 'ums tokens revoke' },
        async (app, by) => {
          const tokens = app.get(TokensService);
          await tokens.revoke(by, id);
          return tokens.get(by, id);
        },
      );
      print(shell, revoked, output);
    });

  addSubcommand(
    tokens,
    'rotate',
    'replace a token with a new one, whose value is shown only once; both work for a while',
    'tok_… --overlap 48h',
  )
    .argument('<id>', 'the ID of the token, not its value')
    .option(
      '--overlap <hours>',
      'how long the old token still works: 0h (it is revoked at once) to 168h; default: 24h',
    )
    .option(
      '--expires-in <days>',
      'lifetime of the new token, such as 90d; default: the full one of the old token',
    )
    .action(async (id: string, { overlap, expiresIn, ...output }: RotateOptions) => {
      const input = validateOrThrow(RotateTokenDto, { overlap, expiresIn });
      const { token, value } = await withRow(
        shell,
        { ...TOKEN, id, command: 'ums tokens rotate' },
        (app, by) => app.get(TokensService).rotate(by, id, input).catch(nameOption(shell.env)),
      );
      print(shell, { ...token, token: value }, output);
    });

  tokens
    .command('generate')
    .description('generate a value for BOOTSTRAP_TOKEN or OPERATOR_TOKEN; needs no database')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  BOOTSTRAP_TOKEN=$(ums tokens generate) ums start')
    .action(({ json }: OutputOptions) => {
      const token = newTokenValue();
      shell.stdout.write(`${json ? JSON.stringify({ token }) : token}\n`);
    });
}

interface CreateOptions extends OutputOptions {
  organization?: string;
  name: string;
  scopes: string;
  expiresIn?: string;
  rateLimit?: string;
  allowedNetworks?: string;
}

const listed = (text: string): string[] => text.split(',').map((item) => item.trim());

interface RotateOptions extends OutputOptions {
  overlap?: string;
  expiresIn?: string;
}

/** Rethrows an error. If it is about the term of a token, its message also says how to set one that is accepted. */
const nameOption = (env: NodeJS.ProcessEnv) => (error: unknown) => {
  const { errors = [] } =
    error instanceof BadRequestException ? (error.getResponse() as { errors?: Fault[] }) : {};
  if (!errors.some(({ field }) => field === 'expiresIn')) throw error;
  const { tokenMaxDays } = readConfig(env);
  const advice = `TOKEN_MAX_DAYS is ${tokenMaxDays}. Set --expires-in ${tokenMaxDays}d, or a shorter lifetime.`;
  throw new Error(`${messageOf(error)}\n${advice}`, { cause: error });
};
