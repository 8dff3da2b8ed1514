/**
 * @only embedded: it uses no database
 */
import { createHook } from 'node:async_hooks';
import { Resolver } from 'node:dns/promises';
import { addressesIn, lookUpPrivately } from '../../src/webhooks/address/look-up';

const never = new AbortController().signal;

describe('a name that no name server knows', () => {
  beforeEach(() => {
    for (const ask of ['resolve4', 'resolve6'] as const)
      jest.spyOn(Resolver.prototype, ask).mockRejectedValue(new Error('ENOTFOUND'));
  });

  it('is looked up in the hosts file alone, because the system has few threads that wait for name servers', async () => {
    const begun: string[] = [];
    const hook = createHook({ init: (_id, type) => void begun.push(type) }).enable();
    try {
      expect(await lookUpPrivately('localhost', never)).toContain('127.0.0.1');
      expect(await lookUpPrivately('nowhere.example', never)).toEqual([]);
    } finally {
      hook.disable();
    }
    expect(begun).toContain('FSREQPROMISE');
    expect(begun).not.toContain('GETADDRINFOREQWRAP');
  });
});

describe('a hosts file', () => {
  it('has addresses, each with its names', () => {
    const hosts = [
      '# 10.0.0.9 a.example',
      '127.0.0.1\tlocalhost',
      '::1  localhost ip6-localhost\r',
      '  10.0.0.1 A.example b.example # c.example',
      '10.0.0.2 a.example',
      '10.0.0.2 a.example',
      'a.example b.example',
      '',
    ].join('\n');
    const names = ['localhost', 'a.example', 'B.example', 'c.example', '10.0.0.1', 'example', '', '#'];
    expect(names.map((name) => addressesIn(hosts, name))).toEqual([
      ['127.0.0.1', '::1'],
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.1'],
      ...Array(5).fill([]),
    ]);
  });

  it('need not have localhost', () => {
    for (const name of ['localhost', 'LocalHost'])
      expect(addressesIn('# 127.0.0.1 localhost\r\n', name)).toEqual(['127.0.0.1', '::1']);
    expect(addressesIn('10.0.0.1 localhost', 'localhost')).toEqual(['10.0.0.1']);
  });
});
