import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DEFAULT_BODY_LIMIT } from '../http/input/body-of-route';
import { refuseKey } from '../http/input/idempotency-key';
import { readBody, requireType, sizeReadByHost } from '../http/input/read-body';
import { formatOf } from '../http/wire-format';
import { oauthFailure } from './oauth-failure';

/** The fields of a token request that are read. Others are ignored, as RFC 6749 has it. */
const FIELDS = ['grant_type', 'scope', 'client_id', 'client_secret', 'assertion', 'organization_id'] as const;

/** A token request. An empty field counts as absent. */
export type TokenForm = Partial<Record<(typeof FIELDS)[number], string>>;

const malformed = () => oauthFailure('invalid_request', 'The request body must be a form in UTF-8.');

const repeated = () => oauthFailure('invalid_request', 'A field must not stand twice.');

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads the form of a token request. */
@Injectable()
export class FormGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    refuseKey(request);
    requireType(request, formatOf(request).bodyTypes);
    const readByHost = sizeReadByHost(request, DEFAULT_BODY_LIMIT, malformed) !== undefined;
    if (!readByHost) await readBody(request, http.getResponse<Response>(), DEFAULT_BODY_LIMIT, malformed);
    request.body = formOf(readByHost ? Object.entries(Object(request.body)) : pairsOf(request.body));
    return true;
  }
}

function pairsOf(body: Buffer = Buffer.alloc(0)): Iterable<[string, unknown]> {
  try {
    return new URLSearchParams(decoder.decode(body));
  } catch {
    throw malformed();
  }
}

/** A parser of a host application makes a list of a field that stands twice. */
function formOf(pairs: Iterable<[string, unknown]>): TokenForm {
  const names = new Set<string>();
  const form: TokenForm = {};
  for (const [name, value] of pairs) {
    if (names.has(name) || Array.isArray(value)) throw repeated();
    names.add(name);
    const field = FIELDS.find((known) => known === name);
    if (field === undefined || value === '') continue;
    if (typeof value !== 'string') throw malformed();
    form[field] = value;
  }
  return form;
}
