import { useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from '../../client/index.ts';
import { CancelButton, Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { patiently } from './patiently.ts';
import { useBusy, useTask } from './use-task.ts';

/** The largest page of the API. */
const PAGE_SIZE = 200;

interface Props<Item, Kept> {
  title: string;
  /** For screen readers: “Reading the users”. */
  label: string;
  /** “5 users” */
  textOf(count: number): string;
  readPage(page: { limit: number; cursor?: string }, signal: AbortSignal): Promise<Page<Item>>;
  /** Extracts the data to keep of each item. */
  keep(item: Item): Kept;
  onClose(): void;
  /** Called at the end with the data of all items. */
  onDone(kept: Kept[]): void;
}

/** Reads a whole list, which may take many requests. */
export function ReadDialog<Item, Kept>(props: Props<Item, Kept>) {
  const { title, label, textOf, readPage, keep, onClose, onDone } = props;
  const [count, setCount] = useState(0);
  const ref = useRef<HTMLDivElement>(null);
  const { error, waiting, retry } = useTask(async (hooks) => {
    const kept: Kept[] = [];
    let cursor: string | undefined;
    do {
      const page = { limit: PAGE_SIZE, cursor };
      const { data, nextCursor } = await patiently(() => readPage(page, hooks.signal), hooks);
      kept.push(...data.map(keep));
      setCount(kept.length);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    onDone(kept);
  });
  useBusy(error === undefined);
  useEffect(() => ref.current?.querySelector('button')?.focus(), [error === undefined]);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack" ref={ref}>
        {error === undefined && <progress aria-label={label} />}
        <p role="status">{textOf(count)} read so far</p>
        <p class="quiet" role="status">
          {waiting}
        </p>
        <Failure error={error} onRetry={retry} />
        <div class="buttons">
          <CancelButton />
        </div>
      </div>
    </Dialog>
  );
}
