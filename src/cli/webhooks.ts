import type { Command } from 'commander';
import { systemCaller } from '../http/caller';
import { WebhookSecrets } from '../webhooks/webhook/webhook-secrets';
import { WebhooksService } from '../webhooks/webhooks.service';
import { type OutputOptions, print } from './output';
import { requireOrganization, withService } from './with-service';

export function webhooksCommand(webhooks: Command): void {
  webhooks.addHelpText('after', '\nExample:\n  ums webhooks list --organization org_…');

  webhooks
    .command('list')
    .description('list the webhooks of an organization, newest first')
    .requiredOption('--organization <id>', 'the organization that the webhooks belong to')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums webhooks list --organization org_… --json')
    .action(async ({ organization, ...output }: OutputOptions & { organization: string }) => {
      const { data } = await withService(async (app) => {
        await requireOrganization(app, organization);
        const by = systemCaller(organization, 'cli', 'ums webhooks list');
        return app.get(WebhooksService).list(by, { limit: 200 });
      });
      print(data, output);
    });

  webhooks
    .command('rewrap')
    .description('encrypt the secrets of all webhooks with the first key in WEBHOOK_ENCRYPTION_KEY')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  WEBHOOK_ENCRYPTION_KEY=<new key>,<old key> ums webhooks rewrap')
    .action(async (output: OutputOptions) => {
      print({ rewrapped: await withService((app) => app.get(WebhookSecrets).rewrap()) }, output);
    });
}
