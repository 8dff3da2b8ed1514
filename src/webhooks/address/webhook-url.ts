import { applyDecorators } from '@nestjs/common';
import { IsString } from 'class-validator';
import { fault, hasCharacters, Satisfies } from '../../http/input/checks';

const MAX_CHARACTERS = 2_048;

/** A URL of a webhook. Each connection checks whether its address may be reached. */
export const WebhookUrl = () =>
  applyDecorators(
    IsString(fault('invalid', 'must be a string')),
    Satisfies(
      'maxLength',
      [MAX_CHARACTERS],
      (value) => typeof value === 'string' && !hasCharacters(value, MAX_CHARACTERS + 1),
      fault('too_long', `must have at most ${MAX_CHARACTERS} characters`),
    ),
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
