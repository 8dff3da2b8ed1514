/**
 * @only embedded: it uses no database
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Job {
  needs?: string;
  environment?: string;
  permissions: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

const FILE = '.github/workflows/release.yaml';
const text = readFileSync(FILE, 'utf8');
const workflow = parse(text) as { on: object; permissions: object; jobs: Record<string, Job> };
const { gate, image, packages } = workflow.jobs;

it('every action is a commit, whose release is in a comment', () => {
  const uses = [...text.matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, action]) => action);
  expect(uses.length).toBeGreaterThan(5);
  for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it('no job may do more than it needs to, or keeps the credentials of the checkout', () => {
  expect(workflow.on).toEqual({ push: { tags: [expect.stringMatching(/^v/)] } });
  expect(workflow.permissions).toEqual({});
  expect(Object.keys(workflow.jobs)).toEqual(['gate', 'image', 'packages']);
  expect(gate.permissions).toEqual({ contents: 'read' });
  expect(image.permissions).toEqual({ contents: 'read', packages: 'write', 'id-token': 'write' });
  expect(packages.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  for (const { steps } of Object.values(workflow.jobs))
    expect(steps[0]).toMatchObject({
      uses: expect.stringContaining('actions/checkout@'),
      with: { 'persist-credentials': false },
    });
});

it('nothing is published before the gate', () => {
  expect(gate.steps.at(-1)).toEqual({ run: '.ci/full', env: { WITHOUT_CITUS: '1' } });
  expect([image.needs, packages.needs]).toEqual(['gate', 'gate']);
});

it('no script contains an expression, which could contain commands', () => {
  const scripts = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
});

it('docs/operations.md names the workflow and its environment', () => {
  const doc = readFileSync('docs/operations.md', 'utf8');
  expect(doc).toContain(`"^$SOURCE/${FILE}@refs/tags/v"`);
  expect(doc).toContain(`the environment \`${packages.environment}\``);
});

const hasActionlint = spawnSync('actionlint', ['-version']).status === 0;
if (!hasActionlint)
  process.stderr.write('actionlint is not installed; the release workflow is not linted.\n');
(hasActionlint ? it : it.skip)('actionlint finds no fault', () => {
  const { stdout, stderr } = spawnSync('actionlint', [FILE], { encoding: 'utf8' });
  expect(stdout + stderr).toBe('');
});
