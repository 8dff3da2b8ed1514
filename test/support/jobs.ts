import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { person } from '../../src/entry/demo/people';
import type { Client, UserBody } from './client';
import { copyOfTemplate, type TestDatabase } from './database';
import { run } from './process';
import { startService } from './service';

/** A database, and a directory for the files that commands read and write. */
export function useJobs() {
  let database: TestDatabase | undefined;
  let directory: string | undefined;
  beforeAll(async () => {
    database = await copyOfTemplate();
    directory = mkdtempSync(join(tmpdir(), 'ums-jobs-'));
  });
  afterAll(async () => {
    await database?.drop();
    if (directory) rmSync(directory, { recursive: true });
  });

  const path = (name: string) => join(directory!, name);

  const file = (name: string, content: string | Buffer) => {
    writeFileSync(path(name), content);
    return path(name);
  };

  const newOrganization = async (): Promise<string> =>
    JSON.parse((await run(['organizations', 'create', 'Test', '--json'], database!.env)).stdout).id;

  /** Runs a command with `--json` and parses the summary that it prints. */
  const job = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json'], database!.env);
    return { code, stderr, summary: stdout ? JSON.parse(stdout) : undefined };
  };

  const refusedIn = (name: string) => readFileSync(path(name), 'utf8');

  const importFile = (path: string, organization: string, ...options: string[]) =>
    job('users', 'import', path, '--organization', organization, ...options);

  const exported = async (organization: string, ...options: string[]): Promise<UserBody[]> => {
    const args = ['users', 'export', '--organization', organization, ...options];
    const { stdout } = await run(args, database!.env);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };

  /** Runs the service on the database while `use` runs, with an admin token of the organization. */
  async function withService(organizationId: string, use: (api: Client) => Promise<void>): Promise<void> {
    const service = await startService({}, {}, database);
    try {
      await use(await service.client({ organizationId }));
    } finally {
      await service.close();
    }
  }

  return {
    database: () => database!,
    directory: () => directory!,
    path,
    file,
    newOrganization,
    job,
    importFile,
    refusedIn,
    exported,
    withService,
  };
}

export const ndjson = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const people = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => person(from + n));

/** The users as callers create them, without the fields that the service sets, sorted by email. */
export const writableFields = (users: Partial<UserBody>[]) =>
  users
    .map(({ name, email, role, active = true, metadata }) => ({ name, email, role, active, metadata }))
    .sort((a, b) => (a.email! < b.email! ? -1 : 1));
