import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { useResource } from '../../ui/use-resource.ts';

/** Names the token whose children are listed, and leads back to all tokens. */
export function ParentFilter({ id, onClear }: { id: string; onClear(): void }) {
  const { client } = useSession();
  // Fails silently: the list shows its own errors.
  const { value } = useResource(id, (signal) => client.tokens.get(id, { signal }));
  return (
    <p class="line">
      <span>
        Only tokens issued by{' '}
        <Link to={`tokens/${id}`} class="name">
          {value?.name ?? id}
        </Link>
      </span>
      <button type="button" class="small" onClick={onClear}>
        Show all tokens
      </button>
    </p>
  );
}
