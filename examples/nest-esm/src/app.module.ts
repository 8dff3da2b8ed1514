import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserManagementModule } from 'user-management-service';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL }),
    UserManagementModule.forRoot({ schema: 'ums' }),
  ],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
