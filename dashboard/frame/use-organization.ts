import { useEffect } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { windowTitle } from '../ui/title.ts';
import { useResource } from '../ui/use-resource.ts';

/** The name of the organization, once it is known. The title of the window has it, too. */
export function useOrganization(): string | undefined {
  const { client, token } = useSession();
  // Fails silently: the page works without the name.
  const { value } = useResource(token.id, (signal) => client.statistics({ signal }));
  const name = value?.organization.name;
  useEffect(() => {
    document.title = windowTitle(name);
  }, [name]);
  return name;
}
