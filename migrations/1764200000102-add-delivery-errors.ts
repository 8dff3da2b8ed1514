import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why the last attempt of a delivery, and of a webhook, had no success. */
export class AddDeliveryErrors1764200000102 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks ADD last_error text COLLATE "C"; -- first, as senders lock them
      ALTER TABLE webhook_deliveries
        ADD last_error text COLLATE "C",
        ADD last_duration_ms integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks DROP last_error;
      ALTER TABLE webhook_deliveries DROP last_duration_ms, DROP last_error`);
  }
}
