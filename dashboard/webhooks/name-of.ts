import type { Webhook } from '../../client/index.ts';

/** The name by which people recognize a webhook. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description ?? url;
