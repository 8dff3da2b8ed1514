import { useState } from 'preact/hooks';
import type { Webhook } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog, DoneButton } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { countOf } from '../../ui/format.ts';
import { useTask } from '../../ui/use-task.ts';
import { failedEvents } from './failed-events.ts';
import { nameOf } from '../name-of.ts';
import { eventsIn, Sending } from './sending.tsx';

interface Props {
  webhook: Webhook;
  onClose(): void;
  /** Called when it has ended, with the number of events that are being sent again. */
  onDone(count: number): void;
}

/** Finds the events that have failed, asks, and lets them be sent again. */
export function SendFailedDialog({ webhook, onClose, onDone }: Props) {
  const [found, setFound] = useState<string[]>();
  const [isConfirmed, setIsConfirmed] = useState(false);
  if (!found) return <Reading webhook={webhook} onClose={onClose} onFound={setFound} />;
  if (found.length === 0)
    return (
      <Dialog title="Nothing to send again" onClose={onClose}>
        <p>Every event that failed has been delivered since. Pending ones are tried again by themselves.</p>
        <div class="buttons">
          <DoneButton />
        </div>
      </Dialog>
    );
  if (isConfirmed) return <Sending webhook={webhook} events={found} onDone={onDone} />;
  return (
    <ConfirmDialog
      title={`Send ${eventsIn(found)} again?`}
      action={`Send ${eventsIn(found)}`}
      doing="Sending …"
      onSubmit={async () => setIsConfirmed(true)}
      onClose={onClose}
    >
      <p>
        They failed and have not been delivered to <strong>{nameOf(webhook)}</strong> since. They are sent
        outside the order of other events.
      </p>
    </ConfirmDialog>
  );
}

interface ReadingProps extends Pick<Props, 'webhook' | 'onClose'> {
  onFound(events: string[]): void;
}

function Reading({ webhook, onClose, onFound }: ReadingProps) {
  const { client } = useSession();
  const [count, setCount] = useState(0);
  const { error, waiting, retry } = useTask(async (hooks) => {
    onFound(await failedEvents(client, webhook.id, { ...hooks, onProgress: setCount }));
  });
  return (
    <Dialog title="Looking for events that failed" onClose={onClose}>
      {error === undefined && <progress aria-label="Reading the deliveries" />}
      <p role="status">{deliveriesIn(count)} read so far</p>
      <p class="quiet" role="status">
        {waiting}
      </p>
      <Failure error={error} onRetry={retry} />
      <div class="buttons">
        <CancelButton autofocus />
      </div>
    </Dialog>
  );
}

const deliveriesIn = (count: number) => countOf(count, 'delivery', 'deliveries');
