import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../platform/http/caller';
import { refuseKey } from '../platform/http/input/idempotency-key';
import { OptionalBody } from '../platform/http/input/body-of-route';
import { locationOf } from '../platform/http/location';
import { Responses } from '../platform/http/responses';
import { Scopes } from '../platform/http/scopes';
import { Paged } from '../platform/pages/page';
import { DeliveriesService } from './deliveries/deliveries.service';
import { ListDeliveriesDto, RedeliverDto, SendTestDto } from './deliveries/delivery.dto';
import { AcceptedView, DeliveryPageView } from './deliveries/delivery.view';
import { CreateWebhookDto, ListWebhooksDto, RotateSecretDto, UpdateWebhookDto } from './webhook/webhook.dto';
import { NewWebhookView, WebhookPageView, WebhookView } from './webhook/webhook.view';
import { WebhooksService } from './webhooks.service';

@ApiController('api/v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
  ) {}

  /**
   * List webhooks
   * @remarks Returns the webhooks of the organization, newest first.
   */
  @Get()
  @Scopes('admin')
  @Paged()
  list(@CurrentCaller() by: Caller, @Query() query: ListWebhooksDto): Promise<WebhookPageView> {
    return this.webhooks.list(by, query);
  }

  /**
   * Create a webhook
   * @remarks Sends the events that happen from now on to a URL, signed as Standard Webhooks defines it. Only this
   * response contains the secret. An organization has at most 20 webhooks.
   */
  @Post()
  @Scopes('admin')
  @Responses({ headers: ['Location'], failures: [409] })
  async create(
    @CurrentCaller() by: Caller,
    @Body() body: CreateWebhookDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewWebhookView> {
    refuseKey(request);
    const { webhook, secret } = await this.webhooks.create(by, body);
    response.setHeader('Location', locationOf(request, webhook.id));
    return { ...webhook, secret };
  }

  /**
   * Get a webhook
   * @remarks Returns one webhook, without its secret.
   */
  @Get(':id')
  @Scopes('admin')
  get(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<WebhookView> {
    return this.webhooks.get(by, id);
  }

  /**
   * Update a webhook
   * @remarks Changes only the fields in the body. Disabling a webhook fails its pending deliveries; enabling it sends
   * the events from then on.
   */
  @Patch(':id')
  @Scopes('admin')
  update(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookView> {
    return this.webhooks.update(by, id, body);
  }

  /**
   * Delete a webhook
   * @remarks Nothing more is sent to it.
   */
  @Delete(':id')
  @Scopes('admin')
  @HttpCode(204)
  delete(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<void> {
    return this.webhooks.delete(by, id);
  }

  /**
   * Rotate the secret
   * @remarks Replaces the secret with a new one, which only this response contains. Both sign until the overlap is
   * over, so that you can hand out the new one without a refused delivery. The body may be left out.
   */
  @Post(':id/rotate-secret')
  @Scopes('admin')
  @HttpCode(200)
  @OptionalBody()
  async rotateSecret(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: RotateSecretDto,
    @Req() request: Request,
  ): Promise<NewWebhookView> {
    refuseKey(request);
    const { webhook, secret } = await this.webhooks.rotateSecret(by, id, body);
    return { ...webhook, secret };
  }

  /**
   * Send a test
   * @remarks Sends an event `webhook.test`, whatever the types of the webhook. It is not in the feed and has no
   * `sequence`. The body may be left out.
   */
  @Post(':id/test')
  @Scopes('admin')
  @HttpCode(202)
  @OptionalBody()
  @Responses({ failures: [409] })
  async test(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() _body: SendTestDto,
  ): Promise<AcceptedView> {
    return { eventId: await this.deliveries.test(by, id) };
  }

  /**
   * List deliveries
   * @remarks Returns the deliveries of the last 30 days, and pending ones, newest first.
   */
  @Get(':id/deliveries')
  @Scopes('admin')
  @Paged()
  listDeliveries(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Query() query: ListDeliveriesDto,
  ): Promise<DeliveryPageView> {
    return this.deliveries.list(by, id, query);
  }

  /**
   * Send events again
   * @remarks Sends one event again, or all events of a period whose types match, outside the order of the other
   * deliveries.
   */
  @Post(':id/redeliver')
  @Scopes('admin')
  @HttpCode(202)
  @Responses({ failures: [409] })
  async redeliver(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() body: RedeliverDto,
  ): Promise<AcceptedView> {
    return { eventId: await this.deliveries.redeliver(by, id, body) };
  }
}
