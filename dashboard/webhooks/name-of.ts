import type { Webhook } from '../../client/index.ts';

/** How people recognize a webhook. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description ?? url;
