import { useEffect, useRef, useState } from 'preact/hooks';
import { useFarewell } from '../../session/farewell.ts';
import { CancelButton, Dialog, useLeaveQuestion } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { useBusy, useTask } from '../../ui/use-task.ts';
import { type Bulk, type Outcome, usersIn } from './bulk.ts';
import { formatCount } from '../../ui/format.ts';

interface Props {
  bulk: Bulk;
  onClose(): void;
  /** Called when it has ended, whether or not it got to the end. */
  onDone(outcome: Outcome): void;
}

/** Asks, and does something to many users. It closes by itself if nothing was refused. */
export function BulkDialog({ bulk, onClose, onDone }: Props) {
  const [isConfirmed, setIsConfirmed] = useState(bulk.question === undefined);
  const [outcome] = useState<Outcome>({ done: [], refused: [] });
  const title =
    bulk.question && !isConfirmed ? bulk.question.title : `${bulk.doing} ${usersIn(bulk.targets)}`;
  return (
    <Dialog title={title} onClose={() => (isConfirmed ? onDone(outcome) : onClose())}>
      {isConfirmed ? (
        <Run bulk={bulk} outcome={outcome} onDone={() => onDone(outcome)} />
      ) : (
        <>
          <p>{bulk.question!.text}</p>
          <div class="buttons">
            <CancelButton autofocus />
            <button
              type="button"
              class={bulk.question!.isDangerous ? 'danger solid' : 'primary'}
              onClick={() => setIsConfirmed(true)}
            >
              {bulk.question!.action}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

const MAX_SHOWN = 50;

interface RunProps {
  bulk: Bulk;
  /** Filled as it goes. */
  outcome: Outcome;
  onDone(): void;
}

function Run({ bulk, outcome, onDone }: RunProps) {
  const [finished, setFinished] = useState(0);
  const [hasEnded, setHasEnded] = useState(false);
  const stopButton = useRef<HTMLButtonElement>(null);
  useEffect(() => stopButton.current?.focus(), []);
  const task = useTask(async (hooks) => {
    const ended = new Set([...outcome.done, ...outcome.refused.map(({ target }) => target)]);
    const rest = bulk.targets.filter((target) => !ended.has(target));
    const onProgress = () => setFinished(outcome.done.length + outcome.refused.length);
    await bulk.work(rest, outcome, { ...hooks, onProgress });
    if (outcome.refused.length === 0) onDone();
    else setHasEnded(true);
  });

  const stop = () => {
    task.stop();
    onDone();
  };
  const hasFailed = task.error !== undefined;
  const isRunning = !hasEnded && !hasFailed;
  useBusy(isRunning);
  useLeaveQuestion(
    isRunning ? { title: 'Stop here?', stay: 'Continue', leave: 'Stop', onLeave: stop } : null,
    isRunning,
  );
  useFarewell(() => (isRunning ? interruption(bulk, outcome) : undefined));

  const { done, refused } = outcome;
  return (
    <div class="stack">
      {isRunning && <progress aria-label="Part that is done" max={bulk.targets.length} value={finished} />}
      <p role="status">
        {isRunning
          ? `${formatCount(finished)} of ${usersIn(bulk.targets)}`
          : `${bulk.did} ${usersIn(done)}${refused.length > 0 ? `; ${usersIn(refused)} could not be` : ''}.`}
      </p>
      <p class="quiet" role="status">
        {isRunning && task.waiting}
      </p>
      <Failure error={task.error} />
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
      <div class="buttons">
        {hasFailed && (
          <button
            type="button"
            onClick={() => {
              task.retry();
              stopButton.current?.focus();
            }}
          >
            Try again
          </button>
        )}
        <button type="button" ref={stopButton} class={isRunning ? undefined : 'primary'} onClick={stop}>
          {isRunning ? 'Stop' : 'Close'}
        </button>
      </div>
    </div>
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
