import { Injectable, Module } from '@nestjs/common';

/** Stands for a service that sends mail. */
@Injectable()
export class MailService {
  readonly welcomed: string[] = [];

  async welcome(userId: string): Promise<void> {
    this.welcomed.push(userId);
  }
}

@Module({ providers: [MailService], exports: [MailService] })
export class MailModule {}
