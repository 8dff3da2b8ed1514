import { baseUrl } from '../router/address.ts';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
import { CopyId, CopyText } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { FetchedPanel, Panel } from '../ui/panel.tsx';
import { useResource } from '../ui/use-resource.ts';
import { OperatorSettings } from './operator-settings.tsx';
import { WhoPanel } from './who-panel.tsx';

/** The organization, the addresses of the service, who is signed in, and what the operator has set. */
export default function SettingsPage() {
  const { token } = useSession();
  return (
    <div class="settings">
      <div class="heading">
        <h1 tabIndex={-1}>Settings</h1>
      </div>
      <OrganizationPanel />
      <Panel title="Addresses">
        <Facts
          facts={[
            ['API', <CopyText text={`${baseUrl}/api/v1`} label="Copy the address of the API" />],
            ['SCIM', <CopyText text={`${baseUrl}/scim/v2`} label="Copy the address of SCIM" />],
          ]}
        />
      </Panel>
      <WhoPanel />
      {may(token, 'admin') ? (
        <OperatorSettings />
      ) : (
        <p class="hint">The limits of the service are shown to people with the scope admin.</p>
      )}
    </div>
  );
}

function OrganizationPanel() {
  const { client } = useSession();
  const statistics = useResource('organization', (signal) => client.statistics({ signal }));
  return (
    <FetchedPanel title="Organization" resource={statistics} textOf={() => ''}>
      {({ organization: { id, name } }) => (
        <Facts
          facts={[
            ['Name', <bdi class="name">{name}</bdi>],
            ['ID', <CopyId id={id} />],
          ]}
        />
      )}
    </FetchedPanel>
  );
}
