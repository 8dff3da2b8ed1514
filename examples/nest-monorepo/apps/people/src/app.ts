import 'reflect-metadata';
import { type INestApplication, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { serveDocumentation } from './documentation.js';

export async function createApp(): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  app.setGlobalPrefix('backend');
  app.useGlobalPipes(new ValidationPipe({ whitelist: true }));
  serveDocumentation(app);
  app.enableShutdownHooks();
  return app;
}
