import { useState } from 'preact/hooks';
import type { Webhook } from '../../../client/index.ts';
import { useFarewell } from '../../session/farewell.ts';
import { useSession } from '../../session/session.ts';
import { hasStatus } from '../../ui/faults.ts';
import { countOf, formatCount } from '../../ui/format.ts';
import { patiently } from '../../ui/patiently.ts';
import { StoppableDialog } from '../../ui/stoppable-dialog.tsx';
import { useTask } from '../../ui/use-task.ts';

const SENT_AT_ONCE = 4;

interface Props {
  webhook: Webhook;
  events: string[];
  /** Called when it has ended, with the number of events that are being sent again. */
  onDone(count: number): void;
}

/** Lets events be sent again, a few at once. */
export function Sending({ webhook, events, onDone }: Props) {
  const { client } = useSession();
  /** The events that are being sent, and those that are kept no longer. */
  const [ended] = useState({ sent: new Set<string>(), gone: new Set<string>() });
  const [count, setCount] = useState(0);
  const [hasEnded, setHasEnded] = useState(false);
  const { sent, gone } = ended;
  const task = useTask(async (hooks) => {
    const { stopping } = hooks;
    const rest = events.filter((id) => !sent.has(id) && !gone.has(id)).values();
    let hasFailed = false;
    const send = async () => {
      for (const eventId of rest) {
        await patiently(() => client.webhooks.redeliver(webhook.id, { eventId }), {
          signal: stopping,
          onWait: hooks.onWait,
        }).then(
          () => sent.add(eventId),
          (error: unknown) => {
            if (!hasStatus(error, 404)) throw error;
            gone.add(eventId);
          },
        );
        setCount(sent.size + gone.size);
        if (hasFailed || stopping.aborted) return;
      }
    };
    // What is on its way ends before a failure is shown.
    const workers = Array.from({ length: SENT_AT_ONCE }, () =>
      send().catch((error: unknown) => {
        hasFailed = true;
        if (error !== stopping.reason) throw error;
      }),
    );
    const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    hooks.signal.throwIfAborted();
    if (gone.size === 0) onDone(sent.size);
    else setHasEnded(true);
  });

  const isRunning = !hasEnded && task.error === undefined;
  useFarewell(() =>
    isRunning
      ? `Sending ${eventsIn(events)} again was interrupted; ${formatCount(sent.size)} of them are being sent.`
      : undefined,
  );
  const lost = gone.size > 0 ? `; ${formatCount(gone.size)} kept no longer` : '';
  return (
    <StoppableDialog
      title={`Sending ${eventsIn(events)} again`}
      task={task}
      isRunning={isRunning}
      finished={count}
      count={events.length}
      status={
        isRunning
          ? `${formatCount(count)} of ${eventsIn(events)}`
          : `${formatCount(sent.size)} of ${eventsIn(events)} being sent again${lost}.`
      }
      onClose={() => onDone(sent.size)}
    />
  );
}

export const eventsIn = ({ length }: { length: number }) => countOf(length, 'event');
