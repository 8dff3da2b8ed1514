import type { Command } from 'commander';
import { WebhookSecrets } from '../../webhooks/webhook/webhook-secrets';
import { WebhooksService } from '../../webhooks/webhooks.service';
import { type OutputOptions, print } from './output';
import type { Shell } from './shell';
import { addList, withService } from './with-service';

export function webhooksCommand(webhooks: Command, shell: Shell): void {
  addList(
    shell,
    webhooks,
    'list the webhooks of an organization, newest first, and why the last attempt of each failed',
    async (app, by, page) => {
      const service = app.get(WebhooksService);
      const { data, nextCursor } = await service.list(by, page);
      const errors = await service.lastErrors(by);
      return {
        data: data.map((webhook) => ({ ...webhook, lastError: errors[webhook.id] ?? null })),
        nextCursor,
      };
    },
    ...['id', 'url', 'lastError', 'enabled'],
  );

  webhooks
    .command('rewrap')
    .description('encrypt the secrets of all webhooks with the first key in WEBHOOK_ENCRYPTION_KEY')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  WEBHOOK_ENCRYPTION_KEY=<new key>,<old key> ums webhooks rewrap')
    .action(async (output: OutputOptions) => {
      print(
        shell,
        { rewrapped: await withService(shell, (app) => app.get(WebhookSecrets).rewrap()) },
        output,
      );
    });
}
