import type { NewWebhook } from '../../client/index.ts';
import { createStore } from '../store.ts';

/** The webhook that has just been created, until the page of it has shown its secret. */
export const newWebhook = createStore<NewWebhook | undefined>(undefined);
