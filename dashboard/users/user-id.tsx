import { useRef } from 'preact/hooks';
import { useCopy } from '../ui/use-copy.ts';

/** An id on one line, with a button that copies the whole of it. */
export function UserId({ id, name }: { id: string; name: string }) {
  const ref = useRef<HTMLElement>(null);
  const { outcome, copySelected } = useCopy();
  const copy = async () => {
    const selection = getSelection()!;
    selection.selectAllChildren(ref.current!);
    if (await copySelected(id)) selection.removeAllRanges();
  };

  return (
    <span class="id">
      <code class="clip" title={id} ref={ref}>
        {id}
      </code>
      <button type="button" class="plain" aria-label={`Copy the id of ${name}`} onClick={() => void copy()}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6 6h7v7H6zM10 3H3v7" />
        </svg>
      </button>
      <span class="outcome" role="status">
        {outcome}
      </span>
    </span>
  );
}
