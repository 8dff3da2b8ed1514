import { useState } from 'preact/hooks';
import { useSession } from '../../session/session.ts';
import { FetchedPanel, Panel } from '../../ui/panel.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { ValuesPanel } from './values-panel.tsx';

/**
 * The attributes that a directory has set. Only the export has them, which reads the user's whole history, so they are
 * fetched on request.
 */
export function DirectoryAttributes({ id }: { id: string }) {
  const [isAsked, setIsAsked] = useState(false);
  if (isAsked) return <Fetched id={id} />;
  return (
    <Panel
      title="Directory"
      aside={
        <button type="button" class="small" onClick={() => setIsAsked(true)}>
          Show directory attributes
        </button>
      }
    >
      <p class="quiet">What your directory has given through SCIM.</p>
    </Panel>
  );
}

function Fetched({ id }: { id: string }) {
  const { client } = useSession();
  const exported = useResource(id, (signal) => client.users.export(id, { signal }));
  const directory = exported.value?.directory;
  if (directory) return <ValuesPanel title="Directory" values={directory} />;
  return (
    <FetchedPanel
      title="Directory"
      resource={exported}
      textOf={() => 'No directory has given anything of this person.'}
    />
  );
}
