export interface WebhooksOptions {
  /** The settings of webhooks, or false for none. */
  webhooks: WebhookSettings | false;
}

export interface WebhookSettings {
  /**
   * 32 bytes in base64, which encrypt the secrets; older keys may follow, separated by commas. Without a key no webhook
   * can be created.
   */
  encryptionKey?: string;
  /** CIDRs of private networks that a webhook may reach, also by http. Default: none. */
  allowedNetworks?: readonly string[];
}
