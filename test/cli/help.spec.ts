/**
 * @slow it starts processes
 * @only embedded postgres: it uses no database
 */
import { run } from '../support/process';

/** So that a terminal shows each line of help as it is. */
const MAX_COLUMNS = 100;

describe('every command', () => {
  it('has help with an example and accepts --json', async () => {
    const leaves: string[] = [];
    const look = async (command: string[]): Promise<void> => {
      const { code, stdout } = await run([...command, '--help'], {});
      expect({ command, code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/\nExamples?:\n {2}\S/),
      });
      const tooWide = stdout.split('\n').filter((line) => line.length > MAX_COLUMNS);
      expect({ command, tooWide }).toEqual({ command, tooWide: [] });
      const names = [...(/\nCommands:\n([^]*?)\n\n/.exec(stdout)?.[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(
        ([, name]) => name,
      );
      if (names.length === 0) {
        leaves.push(command.join(' '));
        expect(stdout).toContain('--json');
      }
      await Promise.all(names.filter((name) => name !== 'help').map((name) => look([...command, name])));
    };
    await look([]);
    expect(leaves.sort()).toEqual([
      'distribute',
      'events tail',
      'groups list',
      'migrate',
      'organizations create',
      'organizations delete',
      'organizations list',
      'organizations rename',
      'organizations resume',
      'organizations suspend',
      'seed',
      'start',
      'tokens create',
      'tokens generate',
      'tokens list',
      'tokens revoke',
      'tokens rotate',
      'users export',
      'users import',
      'users purge',
      'users restore',
      'webhooks list',
      'webhooks rewrap',
    ]);
  });
});
