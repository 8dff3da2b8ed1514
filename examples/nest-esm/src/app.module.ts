import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserManagementModule } from 'user-management-service';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';
import { Note } from './note.entity.js';
import { NotesController } from './notes.controller.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      entities: [Note],
      synchronize: true, // an application with data of its own has migrations instead
    }),
    TypeOrmModule.forFeature([Note]),
    UserManagementModule.forRoot({ schema: 'ums' }),
  ],
  controllers: [AppController, NotesController],
  providers: [AppService],
})
export class AppModule {}
