// A host application without HTTP, in a process of its own. Its subscriber prints each event as a line of JSON.
const { writeSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { NestFactory } = require('@nestjs/core');
const { TypeOrmModule } = require('@nestjs/typeorm');
const { UserManagementModule } = require('../../dist/src');

async function handle({ sequence }, { organizationId }) {
  await sleep(5); // so that a kill comes while events are in progress
  writeSync(1, `${JSON.stringify([organizationId, sequence])}\n`);
}

class Application {}
NestFactory.createApplicationContext(
  {
    module: Application,
    imports: [
      TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL }),
      UserManagementModule.forRoot({ schema: 'ums', subscribers: [{ name: 'billing', handle }] }),
    ],
  },
  { logger: false },
).then(() => process.send('ready'));
