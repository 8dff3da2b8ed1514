import { type DynamicModule, Module } from '@nestjs/common';
import { lookUp, lookUpPrivately } from './address/look-up';
import { Post } from './address/post';
import { Reach } from './address/reach';
import { Attempts } from './deliveries/attempts';
import { DeliveriesService } from './deliveries/deliveries.service';
import { Deliverer } from './deliveries/deliverer';
import { WebhookDelivery } from './deliveries/delivery.entity';
import { DeliveryRetention } from './deliveries/delivery-retention';
import { WebhookReplay } from './deliveries/replay.entity';
import { POST, Sender } from './deliveries/sender';
import { WebhookClaims } from './deliveries/webhook-claims';
import { KeyRing } from './secrets/key-ring';
import { Webhook } from './webhook/webhook.entity';
import { KEYS, WebhookSecrets } from './webhook/webhook-secrets';
import { WebhooksController } from './webhooks.controller';
import { REACH, WebhooksService } from './webhooks.service';

export interface WebhooksOptions {
  /** What webhooks need, or false for none. */
  webhooks: WebhookSettings | false;
}

export interface WebhookSettings {
  /**
   * 32 bytes in base64, which encrypt the secrets; older keys may follow, separated by commas. Without a key no webhook can be
   * created.
   */
  encryptionKey?: string;
  /** CIDRs of private networks that a webhook may reach, also by http. Default: none. */
  allowedNetworks?: readonly string[];
}

/** When webhooks are off, it still removes the deliveries of earlier ones. */
@Module({
  providers: [
    WebhooksService,
    DeliveriesService,
    WebhookSecrets,
    WebhookClaims,
    Attempts,
    Sender,
    DeliveryRetention,
  ],
  exports: [WebhooksService, DeliveriesService, WebhookSecrets],
})
export class WebhooksModule {
  // In the order in which an organization's rows are deleted: once a webhook is gone, no process creates deliveries for it.
  static readonly entities = [Webhook, WebhookDelivery, WebhookReplay];

  static with({ webhooks }: WebhooksOptions): DynamicModule {
    const { encryptionKey, allowedNetworks = [] } = webhooks || {};
    const reach = new Reach(allowedNetworks);
    return {
      module: WebhooksModule,
      controllers: webhooks ? [WebhooksController] : [],
      providers: [
        { provide: KEYS, useValue: new KeyRing(encryptionKey) },
        { provide: REACH, useValue: reach },
        { provide: POST, useValue: new Post(reach, reach.allowsSome ? lookUpPrivately : lookUp) },
        ...(webhooks ? [Deliverer] : []),
      ],
    };
  }
}
