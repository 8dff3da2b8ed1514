import type { Webhook } from '../../client/index.ts';

/** The list to which the pages of webhooks belong. */
export const WEBHOOKS = { path: 'webhooks', title: 'Webhooks' };

/** The page of a webhook, with the form that edits it. */
export const editPath = ({ id }: Webhook) => `${WEBHOOKS.path}/${id}?edit`;

/** The name by which people recognize a webhook. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description ?? url;
