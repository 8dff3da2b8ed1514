import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserManagementModule } from 'user-management-service';
import { database } from './database.js';
import { MailModule, MailService } from './mail.module.js';

/** A process without HTTP that welcomes new users, whoever has created them: the API, an import or the application. */
@Module({
  imports: [
    TypeOrmModule.forRoot(database),
    UserManagementModule.forRootAsync({
      imports: [MailModule],
      inject: [MailService],
      useFactory: (mail: MailService) => ({
        schema: 'ums',
        subscribers: [
          { name: 'welcome', types: ['user.created'], handle: ({ target }) => mail.welcome(target.id) },
        ],
      }),
    }),
  ],
})
export class WorkerModule {}
