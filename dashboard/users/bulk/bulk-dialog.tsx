import { useState } from 'preact/hooks';
import { useFarewell } from '../../session/farewell.ts';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { StoppableDialog } from '../../ui/stoppable-dialog.tsx';
import { useTask } from '../../ui/use-task.ts';
import { type Bulk, type Outcome, summaryOf, usersIn } from './bulk.ts';
import { formatCount } from '../../ui/format.ts';

interface Props {
  bulk: Bulk;
  onClose(): void;
  /** Called when it has ended, whether or not it got to the end. */
  onDone(outcome: Outcome): void;
}

/** Asks, and does something to many users. It closes by itself if nothing was refused. */
export function BulkDialog({ bulk, onClose, onDone }: Props) {
  const [isConfirmed, setIsConfirmed] = useState(false);
  if (!bulk.question || isConfirmed) return <Run bulk={bulk} onDone={onDone} />;
  const { text, ...question } = bulk.question;
  return (
    <ConfirmDialog
      {...question}
      doing={question.action}
      onSubmit={async () => setIsConfirmed(true)}
      onClose={onClose}
    >
      <p>{text}</p>
    </ConfirmDialog>
  );
}

const MAX_SHOWN = 50;

function Run({ bulk, onDone }: Pick<Props, 'bulk' | 'onDone'>) {
  /** Filled as it goes. */
  const [outcome] = useState<Outcome>({ done: [], changed: [], refused: [], isUncertain: false });
  const [finished, setFinished] = useState(0);
  const [hasEnded, setHasEnded] = useState(false);
  const task = useTask(async (hooks) => {
    const ended = new Set([...outcome.done, ...outcome.refused.map(({ target }) => target)]);
    const rest = bulk.targets.filter((target) => !ended.has(target));
    const onProgress = () => setFinished(outcome.done.length + outcome.refused.length);
    await bulk.work(rest, outcome, { ...hooks, onProgress }).catch((error: unknown) => {
      if (error !== hooks.stopping.reason) throw error;
    });
    hooks.signal.throwIfAborted();
    if (outcome.refused.length === 0) onDone(outcome);
    else setHasEnded(true);
  });

  const isRunning = !hasEnded && task.error === undefined;
  useFarewell(() => (isRunning ? interruption(bulk, outcome) : undefined));

  const { refused } = outcome;
  return (
    <StoppableDialog
      title={`${bulk.doing} ${usersIn(bulk.targets)}`}
      task={task}
      isRunning={isRunning}
      finished={finished}
      count={bulk.targets.length}
      status={
        isRunning ? `${formatCount(finished)} of ${usersIn(bulk.targets)}` : `${summaryOf(bulk, outcome)}.`
      }
      onClose={() => onDone(outcome)}
    >
      {!isRunning && refused.length > 0 && (
        <ul class="scroll" tabIndex={0} aria-label="Users that were refused">
          {refused.slice(0, MAX_SHOWN).map(({ target, reason }) => (
            <li key={target.id}>
              <strong>{target.name}</strong> {reason}
            </li>
          ))}
          {refused.length > MAX_SHOWN && (
            <li>… and {usersIn({ length: refused.length - MAX_SHOWN })} more</li>
          )}
        </ul>
      )}
    </StoppableDialog>
  );
}

/** The message if the session ends: to whom it was done. Answers that were still to come are lost. */
function interruption({ targets, doing, did }: Bulk, outcome: Outcome): string {
  const isDone = new Set(outcome.done);
  const done = targets.filter((target) => isDone.has(target));
  const title = `${doing} ${usersIn(targets)} was interrupted`;
  if (done.length === 0) return `${title} before any answer came; look at the list for what was done.`;
  const names =
    done.length === 1
      ? done[0].name
      : `from ${done[0].name} to ${done.at(-1)!.name} in the order of the list`;
  return `${title}: ${did.toLowerCase()} ${usersIn(done)} before, ${names}. Some more may have been on their way.`;
}
