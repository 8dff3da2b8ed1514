import { applyDecorators } from '@nestjs/common';
import { PartialType } from '@nestjs/mapped-types';
import { IsString } from 'class-validator';
import { EVENT_TYPES, type EventType } from '../../events/event/event.types';
import {
  fault,
  Flag,
  Immutable,
  MaxCharacters,
  OneOf,
  Optional,
  Satisfies,
  SomeOf,
  Text,
} from '../../platform/http/input/checks';
import { PageQuery } from '../../platform/pages/page';
import { Overlap } from '../../tokens/token/durations';
import { ORDERINGS, PAYLOADS } from './webhook.entity';

/** Each connection checks whether the address of the URL may be reached. */
const WebhookUrl = () =>
  applyDecorators(
    IsString(fault('invalid', 'must be a string')),
    MaxCharacters(2_048),
    Satisfies(
      'isWebhookUrl',
      [],
      isWebhookUrl,
      fault('invalid', 'must be an https URL without a user and a fragment'),
    ),
  );

/** Accepts http as well: the service knows the allowed networks and decides. */
function isWebhookUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value))
    return false;
  // The parser drops an empty fragment, and an empty user.
  const { username, password } = new URL(value);
  const authority = /^https?:\/\/([^/?]*)/i.exec(value)![1];
  return username === '' && password === '' && !authority.includes('@') && !value.includes('#');
}

const TypeList = () =>
  applyDecorators(
    SomeOf([...EVENT_TYPES, '*'], 'type', `must be ["*"], or a list of ${EVENT_TYPES.join(', ')}`),
    Satisfies(
      'isAllOrSome',
      [],
      (value) => Array.isArray(value) && (!value.includes('*') || value.length === 1),
      fault('invalid', 'must not name a type beside *'),
    ),
  );

export class CreateWebhookDto {
  /**
   * Where events are sent: an `https` URL without a user and a fragment. No connection is made to an address that is
   * not public.
   * @example 'https://example.com/webhooks/users'
   */
  @WebhookUrl()
  url: string;

  /**
   * The types of the events that are sent, each once, or `*` for all.
   * @example ["user.created", "user.deleted"]
   */
  @TypeList()
  types: (EventType | '*')[];

  /**
   * A label for people; surrounding white space is removed.
   * @example 'The mailing list'
   */
  @Optional()
  @Text(1, 200)
  description?: string;

  /**
   * Whether events are sent. By default they are. Disabling a webhook fails its pending deliveries; enabling it sends
   * the events from then on.
   * @example true
   */
  @Optional()
  @Flag()
  enabled?: boolean;

  /**
   * With `thin` no personal data leaves the service: `data` and `onBehalfOf` are left out, and the receiver reads them
   * from the API. The default is `full`.
   * @example 'thin'
   */
  @Optional()
  @OneOf(PAYLOADS)
  payload?: (typeof PAYLOADS)[number];

  /**
   * With `organization` the next event is sent only when the one before it has been delivered or given up, so they
   * arrive in the order of `sequence`. By default a slow delivery does not hold up others.
   * @example 'organization'
   */
  @Optional()
  @OneOf(ORDERINGS)
  ordering?: (typeof ORDERINGS)[number];

  @Immutable()
  id?: never;

  @Immutable()
  secret?: never;

  @Immutable()
  createdAt?: never;

  @Immutable()
  updatedAt?: never;
}

// Without `skipNullProperties: false`, {"url": null} would be accepted.
export class UpdateWebhookDto extends PartialType(CreateWebhookDto, { skipNullProperties: false }) {}

export class RotateSecretDto {
  /**
   * How long the old secret also signs, in hours: from `0h` to `168h`.
   * @example '24h'
   */
  @Optional()
  @Overlap()
  overlap: string = '24h';
}

export class ListWebhooksDto extends PageQuery {}
