import { Dialog, DoneButton } from '../ui/dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { useStore } from '../store.ts';
import { singleKeys } from './single-keys.ts';
import { KEYS } from './keys.ts';

/** The keys that work everywhere. */
export const KeysDialog = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Keyboard shortcuts" question={null} onClose={onClose}>
    <dl class="keys">
      {KEYS.map(([keys, does]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <CheckField
      checked={useStore(singleKeys) === 'on'}
      onChange={(event) => singleKeys.choose(event.currentTarget.checked ? 'on' : 'off')}
    >
      Single letters are shortcuts
    </CheckField>
    <div class="buttons">
      <DoneButton />
    </div>
  </Dialog>
);
