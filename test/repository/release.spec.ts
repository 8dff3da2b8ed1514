import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Job {
  needs?: string;
  environment?: string;
  permissions: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

interface Workflow {
  on: object;
  permissions: object;
  concurrency: object;
  jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const FILE = `${FOLDER}/release.yaml`;
const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
  return { name, text, workflow: parse(text) as Workflow };
});
const workflowOf = (name: string) => workflows.find((one) => one.name === `${name}.yaml`)!.workflow;
const release = workflowOf('release');
const { gate, image, packages } = release.jobs;

describe.each(workflows)('$name', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs);

  it('every action is a commit, whose release is in a comment', () => {
    const uses = [...text.matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, action]) => action);
    expect(uses).toHaveLength(jobs.flatMap(({ steps }) => steps.filter((step) => step.uses)).length);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('no job has a right that it does not name, or keeps the credentials of the checkout', () => {
    expect(workflow.permissions).toEqual({});
    for (const { permissions, steps } of jobs) {
      expect(permissions).toMatchObject({ contents: 'read' });
      expect(steps[0]).toMatchObject({
        uses: expect.stringContaining('actions/checkout@'),
        with: { 'persist-credentials': false },
      });
    }
  });

  it('no script contains an expression, which could contain commands', () => {
    const scripts = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });
});

it('the gate of a change runs on main and on pull requests, with the history, and may only read', () => {
  const { on, concurrency, jobs } = workflowOf('gate');
  expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null });
  expect(concurrency).toMatchObject({ 'cancel-in-progress': "${{ github.event_name == 'pull_request' }}" });
  expect(Object.keys(jobs)).toEqual(['gate']);
  expect(jobs.gate.permissions).toEqual({ contents: 'read' });
  expect(jobs.gate.steps[0].with).toMatchObject({ 'fetch-depth': 0 });
  expect(jobs.gate.steps.at(-1)).toEqual({ run: '.ci/run', env: { WITHOUT_CITUS: '1' } });
});

it('no job of a release may do more than it needs to', () => {
  expect(release.on).toEqual({ push: { tags: [expect.stringMatching(/^v/)] } });
  expect(Object.keys(release.jobs)).toEqual(['gate', 'image', 'packages']);
  expect(gate.permissions).toEqual({ contents: 'read' });
  expect(image.permissions).toEqual({ contents: 'read', packages: 'write', 'id-token': 'write' });
  expect(packages.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
});

it('nothing is published before the gate', () => {
  expect(gate.steps.at(-1)).toEqual({ run: '.ci/full', env: { WITHOUT_CITUS: '1' } });
  expect([image.needs, packages.needs]).toEqual(['gate', 'gate']);
});

it('docs/operations.md names the workflow and its environment', () => {
  const doc = readFileSync('docs/operations.md', 'utf8');
  expect(doc).toContain(`"^$SOURCE/${FILE}@refs/tags/v"`);
  expect(doc).toContain(`the environment \`${packages.environment}\``);
});

const hasActionlint = spawnSync('actionlint', ['-version']).status === 0;
if (!hasActionlint) process.stderr.write('actionlint is not installed; the workflows are not linted.\n');
(hasActionlint ? it : it.skip)('actionlint finds no fault', () => {
  const { stdout, stderr } = spawnSync(
    'actionlint',
    workflows.map(({ name }) => `${FOLDER}/${name}`),
    { encoding: 'utf8' },
  );
  expect(stdout + stderr).toBe('');
});

interface Package {
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
}

const directory = mkdtempSync(join(tmpdir(), 'ums-lock-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The verdict on the lock file after a change. */
function check(change: (packages: Record<string, Package>) => void) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  change(lock.packages);
  const file = join(directory, 'package-lock.json');
  writeFileSync(file, JSON.stringify(lock));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/lock-file.mjs', file], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('the check of the lock file', () => {
  it('accepts the one of this repository', () => {
    expect(check(() => {})).toEqual({ status: 0, stderr: '' });
  });

  it('reports a package without a hash, and one that runs a script', () => {
    const express = 'node_modules/express';
    const faults: [string, (all: Record<string, Package>) => void][] = [
      [`${express} has no SHA-512 hash`, (all) => delete all[express].integrity],
      [
        `${express} has no SHA-512 hash`,
        (all) => (all[express].integrity = 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='),
      ],
      [`${express} runs a script when it is installed`, (all) => (all[express].hasInstallScript = true)],
      [
        'node_modules/@swc/core, which has an install script, is installed in production',
        (all) => delete all['node_modules/@swc/core'].dev,
      ],
    ];
    for (const [fault, change] of faults)
      expect(check(change)).toEqual({ status: 1, stderr: expect.stringContaining(fault) });
  });
});

describe('the list of packages of the image', () => {
  it('has what is installed in production and in the pages, and nothing else', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/sbom.mjs', '@electric-sql/pglite'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const names = JSON.parse(stdout).components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'pg', 'preact', 'swagger-ui-dist']));
    for (const name of ['jest', '@electric-sql/pglite', 'vite']) expect(names).not.toContain(name);
  });
});

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const yaml = (path: string) => parse(readFileSync(path, 'utf8'));
const labelOf = (path: string) =>
  yaml(path)
    .labels.map(({ pairs }: { pairs: object }) => pairs['app.kubernetes.io/version' as never])
    .find(Boolean);
const { version } = json('package.json');

it('every place that names the version has that of the service', () => {
  const { packages } = json('package-lock.json');
  const image = (overlay: string) => yaml(`deploy/overlays/${overlay}/kustomization.yaml`).images[0].newTag;
  const found = {
    'client/package.json': json('client/package.json').version,
    'docs/embedding.md': /user-management-service-([\d.]+)\.tgz/.exec(
      readFileSync('docs/embedding.md', 'utf8'),
    )?.[1],
    'package-lock.json': packages[''].version,
    'the client in package-lock.json': packages.client.version,
    'openapi.json': json('openapi.json').info.version,
    'the label of the base': labelOf('deploy/base/kustomization.yaml'),
    'the label of the migration job': labelOf('deploy/components/migration/kustomization.yaml'),
    'the label of the audit stream': labelOf('deploy/components/audit-stream/kustomization.yaml'),
    'the image in production': image('production'),
    'the image on CloudNativePG': image('cloudnativepg'),
    Dockerfile: /^ARG VERSION=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1],
  };
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((place) => [place, version])));
});
