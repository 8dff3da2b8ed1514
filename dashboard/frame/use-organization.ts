import { useEffect, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';

/** The name of the organization, once it is known. */
export function useOrganization(): string | undefined {
  const { client } = useSession();
  const [name, setName] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    // Fails silently: the page works without the name.
    client.statistics({ signal: controller.signal }).then(
      ({ organization }) => setName(organization.name),
      () => {},
    );
    return () => controller.abort();
  }, [client]);
  useEffect(() => {
    document.title = name === undefined ? TITLE : `${name} · ${TITLE}`;
    return () => void (document.title = TITLE);
  }, [name]);
  return name;
}

const TITLE = 'User Management';
