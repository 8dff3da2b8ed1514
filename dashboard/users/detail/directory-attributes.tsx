import type { Directory } from '../../../client/index.ts';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { directoryFacts } from '../user/directory.ts';

/** The attributes that a directory has set, by their labels. */
export const DirectoryAttributes = ({ directory }: { directory: Directory }) => (
  <Panel title="Directory">
    <p class="quiet">What your directory has given through SCIM.</p>
    {directoryFacts(directory).map(([group, facts]) => (
      <section key={group}>
        <h3>{group}</h3>
        <Facts
          facts={facts.map(([label, lines]) => [
            label,
            lines.map((line, i) => (
              <div key={i}>
                <bdi>{line}</bdi>
              </div>
            )),
          ])}
        />
      </section>
    ))}
  </Panel>
);
