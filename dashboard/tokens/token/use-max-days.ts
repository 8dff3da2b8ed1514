import { useSession } from '../../session/session.ts';
import { useResource } from '../../ui/use-resource.ts';

/** How many days a new token may live; null if there is no limit, or as long as nobody has said so. */
export function useMaxDays(): number | null {
  const { client } = useSession();
  // Fails silently: the service checks it, too.
  const { value } = useResource('settings', (signal) => client.settings({ signal }));
  return value?.tokenMaxDays ?? null;
}
