import { navigate } from '../../router/place.ts';
import { May } from '../../session/may.tsx';
import { Icon } from '../../ui/icon.tsx';

interface Props {
  onExport(): void;
  onCreate(): void;
}

/** The buttons beside the heading. A narrow window shows the icons alone, where there is one. */
export const PageActions = ({ onExport, onCreate }: Props) => (
  <div class="buttons">
    <button type="button" onClick={onExport}>
      <Icon name="download" />
      <span class="label">Export</span>
    </button>
    <May scope="users:write">
      <button type="button" onClick={() => navigate('users/import')}>
        <Icon name="upload" />
        <span class="label">Import users</span>
      </button>
      <button type="button" class="primary" aria-keyshortcuts="C" onClick={onCreate}>
        Create user
      </button>
    </May>
  </div>
);
