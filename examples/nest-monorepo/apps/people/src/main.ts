import { createApp } from './app.js';

void createApp()
  .then((app) => app.listen(process.env.PORT ?? 3000))
  .then(() => console.log('People is listening.'));
