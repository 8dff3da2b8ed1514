import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { STOPPING, useBusy, type useTask } from './use-task.ts';

interface Props {
  title: string;
  task: ReturnType<typeof useTask>;
  /** Whether it has neither ended nor failed. */
  isRunning: boolean;
  /** How many of how many are done. */
  finished: number;
  count: number;
  /** What is said of it while it runs, and afterwards. */
  status: string;
  onClose(): void;
  /** Shown before the button. */
  children?: ComponentChildren;
}

/** A task on many items that can be stopped, with its progress. It closes only when the task has ended. */
export function StoppableDialog(props: Props) {
  const { title, task, isRunning, finished, count, status, onClose, children } = props;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  useBusy(isRunning);
  const isStopping = isRunning && task.isStopping;
  const question = { title: 'Stop here?', stay: 'Continue', leave: 'Stop', onLeave: task.stop };
  const retry = () => {
    task.retry();
    button.current?.focus();
  };
  return (
    <Dialog
      title={title}
      question={isRunning && !isStopping ? question : null}
      onClose={() => isRunning || onClose()}
    >
      {isRunning && <progress aria-label="Part that is done" max={count} value={finished} />}
      <p role="status">{status}</p>
      <p class="quiet" role="status">
        {isStopping ? STOPPING : isRunning && task.waiting}
      </p>
      <Failure error={task.error} onRetry={retry} />
      {children}
      <div class="buttons">
        <button
          type="button"
          ref={button}
          class={isRunning ? undefined : 'primary'}
          aria-disabled={isStopping}
          onClick={isRunning ? task.stop : onClose}
        >
          {isStopping ? 'Stopping …' : isRunning ? 'Stop' : 'Close'}
        </button>
      </div>
    </Dialog>
  );
}
