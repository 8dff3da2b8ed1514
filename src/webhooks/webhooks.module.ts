import { Module } from '@nestjs/common';
import { BackgroundModule } from '../platform/background/background.module';
import { EventsModule } from '../events/events.module';
import type { Feature } from '../platform/feature/feature';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { lookUp, lookUpPrivately } from './address/look-up';
import { Post } from './address/post';
import { Reach } from './address/reach';
import { Attempts } from './deliveries/attempts';
import { DeliveriesService } from './deliveries/deliveries.service';
import { Deliverer } from './deliveries/deliverer';
import { WebhookDelivery, WebhookReplay } from './deliveries/delivery.entity';
import { DeliveryRetention } from './deliveries/delivery-retention';
import { DiscardedDeliveries } from './deliveries/discarded-deliveries';
import { Sender } from './deliveries/sender';
import { WebhookClaims } from './deliveries/webhook-claims';
import { KeyRing } from './secrets/key-ring';
import { Webhook } from './webhook/webhook.entity';
import { WebhookSecrets } from './webhook/webhook-secrets';
import { WebhooksController } from './webhooks.controller';
import { webhookSettings, type WebhooksOptions } from './webhooks.options';
import { WebhooksService } from './webhooks.service';

/** The webhooks themselves. When webhooks are off, it still removes the deliveries of earlier ones. */
@Module({
  imports: [BackgroundModule, EventsModule],
  providers: [
    WebhooksService,
    DeliveriesService,
    WebhookSecrets,
    WebhookClaims,
    Attempts,
    Sender,
    DeliveryRetention,
    DiscardedDeliveries,
    {
      provide: KeyRing,
      inject: [SERVICE_OPTIONS],
      useFactory: (options: WebhooksOptions) => new KeyRing(webhookSettings(options).encryptionKey),
    },
    {
      provide: Reach,
      inject: [SERVICE_OPTIONS],
      useFactory: (options: WebhooksOptions) => new Reach(webhookSettings(options).allowedNetworks),
    },
    {
      provide: Post,
      inject: [Reach],
      useFactory: (reach: Reach) => new Post(reach, reach.allowsSome ? lookUpPrivately : lookUp),
    },
  ],
  exports: [WebhooksService, DeliveriesService, WebhookSecrets, WebhookClaims, Attempts, Sender],
})
export class WebhooksModule {
  static readonly feature: Feature = {
    // Once a webhook is gone, no process creates deliveries for it.
    entities: [Webhook, WebhookDelivery, WebhookReplay],
    personal: [], // a delivery has the id of its event alone
    ids: { webhook: 'whk', delivery: 'dlv', replay: 'rpl' },
    tags: [
      {
        name: 'Webhooks',
        description:
          'URLs to which the service sends events, signed as Standard Webhooks defines it. Each event is sent at least once; ' +
          'without `ordering`, in any order.',
        idOf: 'webhook',
      },
    ],
  };
}

/** The routes, and the `Deliverer`, which sends. Left out when webhooks are off. */
@Module({
  imports: [WebhooksModule, BackgroundModule, EventsModule],
  controllers: [WebhooksController],
  providers: [Deliverer],
})
export class WebhookDeliveryModule {}
