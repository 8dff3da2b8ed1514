/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { type MiddlewareConsumer, Module, type NestModule, RequestMethod } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { OrganizationsService, TokensService, UserManagementModule } from '../../src';
import { JwtBearerGrant } from '../../src/oauth/jwt-bearer.grant';
import { newId } from '../../src/platform/database/id';
import { NetworkLimiter } from '../../src/platform/rate-limit/network-limiter';
import { ACME, assertionOf, AUDIENCE, inSeconds, SUBJECT } from '../support/assertions';
import { Client } from '../support/client';
import { OPTIONS } from '../support/embedding';
import { describeOn } from '../support/engine';
import { type Host, startHost } from '../support/host';
import { type FakeIssuer, startIssuer } from '../support/issuer';
import { basic, exchange, expectFailure } from '../support/oauth';
import { untilBlocked } from '../support/until';

const PATH = '/backend/internal/oauth/token';

let issuer: FakeIssuer;
let away: FakeIssuer;
let host: Host;
beforeAll(async () => {
  [issuer, away] = [await startIssuer(), await startIssuer()];
  await away.down();
  host = await startHost([
    UserManagementModule.forRoot({
      ...OPTIONS,
      tokenIssuers: {
        audience: `${AUDIENCE}/`,
        rules: [
          `${issuer.url} sub=${SUBJECT} -> ${ACME} users:read users:write`,
          `${away.url} sub=${SUBJECT} -> ${ACME} users:read`,
          `${issuer.url} sub=lost -> ${newId('org')} users:read`,
        ],
      },
    }),
  ]);
  await host.dataSource.query(`INSERT INTO ums.organizations (id, name) VALUES ($1, 'Acme')`, [ACME]);
});
afterAll(async () => {
  await host.close();
  await issuer.down();
});

/** Sends an assertion. The host's own parser reads the form, as Nest has it by default. */
const present = (assertion: string, fields = {}) =>
  exchange(host.url, { grant_type: JwtBearerGrant.type, assertion, ...fields }, { path: PATH });

const read = (value: string) => new Client(host.url, { value }).get('/backend/internal/api/v1/users');

describe('in a host, the token endpoint', () => {
  it('exchanges assertions at its prefix', async () => {
    const { status, body, headers } = await present(await assertionOf(issuer), { scope: 'users:read' });
    expect([status, body]).toEqual([
      200,
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'users:read' },
    ]);
    expect(headers['cache-control']).toBe('no-store');
    await read(body.access_token).expect(200);
    const { data } = await host.app.get(TokensService).list(ACME, { session: true });
    expect(data[0].createdBy).toEqual({ issuer: issuer.url, subject: SUBJECT, name: SUBJECT });
  });

  it('answers failures as OAuth has them, whatever the filters of the host', async () => {
    const over = await present(await assertionOf(issuer, { exp: inSeconds(-1) }));
    expectFailure(over, 'invalid_grant', /^The claim exp /);
    expectFailure(await present(''), 'invalid_request', /assertion is required/);
    const twice = `grant_type=${encodeURIComponent(JwtBearerGrant.type)}&assertion=a&assertion=b`;
    expectFailure(await exchange(host.url, twice, { path: PATH }), 'invalid_request', /twice/);
    const lost = await present(await assertionOf(issuer, { sub: 'lost' })); // its organization does not exist
    expectFailure(lost, 'invalid_grant', /^No rule of this service/);
    const { status, body, headers } = await present(await assertionOf(away));
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(headers['retry-after']).toMatch(/^\d+$/);
  });
});

describe('TokensService.exchange()', () => {
  it('makes a token of an hour that ends with its parent', async () => {
    const tokens = host.app.get(TokensService);
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const { token: parent } = await tokens.create(id, {
      name: 'Sync',
      scopes: ['users:read', 'users:write'],
    });
    const { token, value } = await tokens.exchange(id, parent.id, { scopes: ['users:read'] });
    expect(token).toMatchObject({
      name: 'Sync',
      parentId: parent.id,
      scopes: ['users:read'],
      expiresIn: null,
    });
    expect(token.expiresAt!.getTime() - token.createdAt.getTime()).toBe(3_600_000);
    await read(value).expect(200);
    await expect(tokens.exchange(id, token.id)).rejects.toMatchObject({ status: 409 });
    await expect(tokens.exchange(id, parent.id, { scopes: ['users:delete'] })).rejects.toMatchObject({
      status: 400,
    });
    await expect(tokens.exchange(ACME, parent.id)).rejects.toMatchObject({ status: 404 });
    await tokens.revoke(id, parent.id);
    await read(value).expect(401);
    await expect(tokens.exchange(id, parent.id)).rejects.toMatchObject({ status: 404 });
  });
});

const timeLimit = new EventEmitter();

/** Answers every request once its time is over, as time limits of hosts do. */
@Module({})
class TimeLimit implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const limit = (_request: Request, response: Response, next: NextFunction) => {
      timeLimit.once('over', () => response.headersSent || response.status(503).end());
      next();
    };
    consumer.apply(limit).forRoutes({ path: '{*path}', method: RequestMethod.ALL });
  }
}

describeOn('postgres', 'in a host that answers before the failure has been counted', () => {
  it('nothing else is sent, and the host goes on', async () => {
    const limited = await startHost([UserManagementModule.forRoot(OPTIONS), { module: TimeLimit }]);
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    const lock = limited.dataSource.createQueryRunner();
    try {
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE ums.rate_limit_windows');
      const headers = basic('tok_x', 'wrong');
      const form = { grant_type: 'client_credentials' };
      const counted = jest.spyOn(NetworkLimiter.prototype, 'count');
      const answer = exchange(limited.url, form, { path: PATH, headers });
      await untilBlocked(limited.dataSource);
      timeLimit.emit('over');
      expect((await answer).status).toBe(503);
      await lock.query('ROLLBACK');
      await counted.mock.results[0].value;
      counted.mockRestore();
      await turn(); // of the event loop, after which a rejection is known to be unhandled
      expect(rejections).toEqual([]);
    } finally {
      await lock.release();
      process.off('unhandledRejection', note);
      await limited.close();
    }
  });
});
