import type { NewWebhook } from '../../client/index.ts';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { Duties, Snippet } from './receiver.tsx';

interface Props {
  webhook: NewWebhook;
  title: string;
  onClose(): void;
}

/** Shows the secret of a webhook this one time, beside a receiver that verifies it. */
export const WebhookSecretDialog = ({ webhook, title, onClose }: Props) => (
  <SecretDialog title={title} label="Secret" value={webhook.secret} ifLost="rotate it" onClose={onClose}>
    <h3>What the receiver must do</h3>
    <Duties />
    <Snippet />
  </SecretDialog>
);
