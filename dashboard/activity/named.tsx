import { Link } from '../router/link.tsx';
import { type Name, type Part, shortened } from './sentence.ts';
import type { Names } from './use-names.ts';

interface Props extends Name {
  names: Names;
  /** Whether the Tab key passes over it, because the details have it again. */
  isPassed?: boolean;
}

/** A name, which leads to the page of whom or what it names. */
export function Named({ name, id, isQuiet, names, isPassed }: Props) {
  const page = id === undefined ? undefined : names.pageOf(id);
  const title = id !== undefined && name === shortened(id) ? id : undefined;
  return (
    <bdi class={isQuiet ? 'quiet' : 'name'} title={title}>
      {page === undefined ? (
        name
      ) : (
        <Link to={page} tabIndex={isPassed ? -1 : undefined}>
          {name}
        </Link>
      )}
    </bdi>
  );
}

/** A sentence whose names are set apart. */
export const Sentence = ({ id, parts, names }: { id: string; parts: Part[]; names: Names }) => (
  <span class="sentence" id={id}>
    {parts.map((part) => (typeof part === 'string' ? part : <Named {...part} names={names} isPassed />))}
  </span>
);

/** A user of whom there is only the id. */
export function UserNamed({ id, names }: { id: string; names: Names }) {
  const name = names.nameOf(id);
  return name === undefined ? <>…</> : <Named name={name ?? shortened(id)} id={id} names={names} />;
}
