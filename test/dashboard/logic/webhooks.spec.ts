import type { Delivery } from '../../../client/index';
import { KINDS } from '../../../dashboard/activity/kinds';
import { eventName } from '../../../dashboard/webhooks/deliveries/event-name';
import { outcomeOf, resultOf } from '../../../dashboard/webhooks/deliveries/outcome-of';
import { EVENT_GROUPS } from '../../../dashboard/webhooks/form/event-groups';
import { DELIVERY_ERRORS } from '../../../src/webhooks/address/delivery-error';

describe('the kinds of events', () => {
  it('are each in one group of the form of a webhook', () => {
    const inGroups = EVENT_GROUPS.flatMap(({ types }) => types);
    expect([...inGroups].sort()).toEqual(Object.keys(KINDS).sort());
  });

  it('have a name for a single event', () => {
    const names = ['user.created', 'group.member_added', 'webhook.test'].map(eventName);
    expect(names).toEqual(['User created', 'Group member added', 'Webhook test']);
  });
});

describe('the outcome of an attempt', () => {
  const delivery = { attempts: 1, state: 'pending', lastStatus: null, lastError: null } as Delivery;

  it('is said in words, each reason in its own', () => {
    const said = DELIVERY_ERRORS.map((lastError) =>
      outcomeOf({ ...delivery, lastError, lastStatus: lastError === 'status' ? 503 : null }),
    );
    expect(said).toEqual([
      'The receiver responded with status 503',
      'The name of the receiver has no address',
      'The receiver refused the connection',
      'The receiver ended the connection without a response',
      'The receiver did not respond within 15 seconds',
      'The receiver has no valid certificate, or no TLS at this port',
      'The address of the receiver is not allowed',
      'The receiver did not respond in HTTP',
    ]);
  });

  it('is said in a word or a status in the list', () => {
    const said = DELIVERY_ERRORS.map((lastError) =>
      resultOf({ ...delivery, lastError, lastStatus: lastError === 'status' ? 503 : null }),
    );
    expect(said[0]).toBe('503');
    expect(new Set(said).size).toBe(DELIVERY_ERRORS.length);
    expect([resultOf({ ...delivery, attempts: 0 }), resultOf(delivery)]).toEqual(['', 'no response']);
  });

  it('is that there was none, or that nobody has recorded one', () => {
    expect(outcomeOf({ ...delivery, attempts: 0 })).toBe('Not sent yet');
    expect(outcomeOf({ ...delivery, attempts: 0, state: 'failed' })).toContain('disabled before');
    expect(outcomeOf(delivery)).toBe('There is no response');
    expect(outcomeOf({ ...delivery, lastError: 'of a later release' as 'dns' })).toBe('There is no response');
  });
});
