import type { Command } from 'commander';
import { systemCaller } from '../../platform/http/caller';
import { validateOrThrow } from '../../platform/http/input/validate';
import { CreateOrganizationDto, OrganizationNameDto } from '../../organizations/organizations.dto';
import { OrganizationsService } from '../../organizations/organizations.service';
import { LARGE_JOB } from '../../platform/database/data-source';
import { addSubcommand, type OutputOptions, print } from './output';
import type { Shell } from './shell';
import { withService } from './with-service';

export function organizationsCommand(organizations: Command, shell: Shell): void {
  const withOrganizations = <Result>(
    run: (service: OrganizationsService) => Promise<Result>,
    timeouts?: object,
  ) => withService(shell, (app) => run(app.get(OrganizationsService)), timeouts);

  organizations.addHelpText('after', '\nExample:\n  ums organizations list');

  addSubcommand(organizations, 'create', 'create an organization', '"Example Inc." --external-id 4711')
    .argument('<name>', 'display name')
    .option('--external-id <id>', 'the ID by which another system knows the organization')
    .action(async (name: string, { externalId, ...output }: OutputOptions & { externalId?: string }) => {
      const input = validateOrThrow(CreateOrganizationDto, { name, externalId });
      print(shell, await withOrganizations((service) => service.create(input.name, input)), output);
    });

  addSubcommand(organizations, 'rename', 'change the name of an organization', 'org_… "Example Ltd."')
    .argument('<id>', 'the ID of the organization')
    .argument('<name>', 'new display name')
    .action(async (id: string, name: string, output: OutputOptions) => {
      const input = validateOrThrow(OrganizationNameDto, { name });
      print(shell, await withOrganizations((service) => service.rename(id, input.name)), output);
    });

  for (const [command, description] of [
    ['suspend', 'refuse every access with a token of an organization, and send nothing to its webhooks'],
    ['resume', 'end the suspension of an organization'],
  ] as const)
    addSubcommand(organizations, command, description, 'org_…')
      .argument('<id>', 'the ID of the organization')
      .action(async (id: string, output: OutputOptions) => {
        const by = systemCaller(id, 'cli', `ums organizations ${command}`);
        print(shell, await withOrganizations((service) => service[command](by)), output);
      });

  addSubcommand(organizations, 'delete', 'delete a suspended organization with everything in it', 'org_…')
    .argument('<id>', 'the ID of the organization')
    .action(async (id: string, output: OutputOptions) => {
      await withOrganizations((service) => service.delete(id), LARGE_JOB);
      print(shell, { deleted: id }, output);
    });

  addSubcommand(organizations, 'list', 'list all organizations, oldest first', '--json').action(
    async (output: OutputOptions) => {
      print(
        shell,
        await withOrganizations((service) => service.list()),
        output,
        'id',
        'name',
        'suspended',
        'externalId',
      );
    },
  );
}
