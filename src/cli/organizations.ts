import type { Command } from 'commander';
import { judgeOrThrow } from '../http/input/judge';
import { Organization } from '../auth/organization.entity';
import { CreateOrganizationDto } from '../auth/organizations.dto';
import { OrganizationsService } from '../auth/organizations.service';
import { print } from './output';
import { withDatabase } from './with-database';

interface Output {
  json?: boolean;
}

export function addOrganizations(program: Command): void {
  const organizations = program
    .command('organizations')
    .description('create and list organizations')
    .addHelpText('after', '\nExample:\n  ums organizations list');

  organizations
    .command('create')
    .argument('<name>', 'display name')
    .description('create an organization')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums organizations create "Example Inc."')
    .action(async (name: string, output: Output) => {
      const input = judgeOrThrow(CreateOrganizationDto, { name });
      print(await withOrganizations((service) => service.create(input.name)), output);
    });

  organizations
    .command('list')
    .description('list all organizations, oldest first')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums organizations list --json')
    .action(async (output: Output) => {
      print(await withOrganizations((service) => service.list()), output);
    });
}

const withOrganizations = <Result>(run: (service: OrganizationsService) => Promise<Result>) =>
  withDatabase((dataSource) => run(new OrganizationsService(dataSource.getRepository(Organization))));
