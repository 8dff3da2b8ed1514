import { useRef } from 'preact/hooks';
import { useCopy } from './use-copy.ts';

interface Props {
  id: string;
  /** The name of its owner. With a name, the id is one of many in a list, and shortened. */
  name?: string;
}

/** An id, with a button that copies the whole of it. */
export function CopyId({ id, name }: Props) {
  const ref = useRef<HTMLElement>(null);
  const { outcome, copySelected } = useCopy();
  const copy = async () => {
    const selection = getSelection()!;
    selection.selectAllChildren(ref.current!);
    if (await copySelected(id)) selection.removeAllRanges();
  };

  return (
    <span class="id">
      <code ref={ref} title={name === undefined ? undefined : id}>
        {name === undefined ? id : <Shortened id={id} />}
      </code>
      <button
        type="button"
        class="plain"
        aria-label={name === undefined ? 'Copy the ID' : `Copy the id of ${name}`}
        onClick={() => void copy()}
      />
      <span class="outcome" role="status">
        {outcome}
      </span>
    </span>
  );
}

/** The whole id can be selected, its middle shows as “…”. The end tells ids apart: they begin with the time. */
const Shortened = ({ id }: { id: string }) => (
  <>
    {id.slice(0, 4)}
    <span class="middle">{id.slice(4, -6)}</span>
    {id.slice(-6)}
  </>
);
