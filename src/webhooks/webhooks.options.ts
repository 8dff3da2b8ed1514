import { Option, reject, Setting, Variable } from '../platform/feature/setting';
import { networksOf } from './address/reach';
import { isKeyList } from './secrets/key-ring';

export interface WebhooksOptions {
  webhooks: WebhookSettings | false;
}

function areNetworks(value: unknown): boolean {
  try {
    return networksOf(value as string[]) !== undefined;
  } catch {
    return false;
  }
}

/** Networks that the text of a variable separates by commas. */
function networks(text: string): string[] {
  const cidrs = text.split(',').map((cidr) => cidr.trim());
  if (areNetworks(cidrs)) return cidrs;
  return reject('must be networks separated by commas, such as 10.1.0.0/16,fd00:1::/32');
}

const KEYS = 'must be 32 bytes in base64, or several of these separated by commas';

/** The settings; without any when webhooks are off. */
export const webhookSettings = ({ webhooks }: WebhooksOptions): WebhookSettings => webhooks || {};

export class WebhookSettings {
  /**
   * 32 bytes in base64, which encrypt the secrets; older keys may follow, separated by commas. Without a key no webhook
   * can be created. Default: none.
   */
  @Setting('WEBHOOK_ENCRYPTION_KEY', String, isKeyList, KEYS) encryptionKey?: string;
  /** CIDRs of private networks that a webhook may reach, also by http. Default: none. */
  @Option(areNetworks, 'must be networks such as 10.1.0.0/16')
  @Variable('WEBHOOK_ALLOWED_NETWORKS', networks)
  allowedNetworks?: readonly string[];
}
