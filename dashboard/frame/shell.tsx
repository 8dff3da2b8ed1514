import { useMemo, useState } from 'preact/hooks';
import type { NewToken } from '../../client/index.ts';
import { usePlace } from '../router/place.ts';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
import { BootstrapBanner } from '../tokens/token/bootstrap-banner.tsx';
import { ExpiryBanner } from '../tokens/token/expiry-banner.tsx';
import { NewTokenDialog } from '../tokens/token/new-token-dialog.tsx';
import { type TokenEvents, TokenEventsContext } from '../tokens/token/token-events.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { CurrentPage } from './current-page.tsx';
import { useKeys } from './keys.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { Palette } from './palette.tsx';
import type { Section } from './section.ts';
import { Sidebar } from './sidebar.tsx';

/** The pages that remind an admin of the bootstrap token: the first one, and the one where it can be revoked. */
const REMINDING = ['', 'tokens'];

/** The frame around every page of a signed-in user. */
export function Shell({ sections }: { sections: Section[] }) {
  const { token } = useSession();
  const allowed = useMemo(() => sections.filter(({ scope }) => may(token, scope)), [token]);
  // Kept here, not in a page, because a new token's value must survive a change of page.
  const [newToken, setNewToken] = useState<NewToken>();
  const [isBannerDismissed, setIsBannerDismissed] = useState(false);
  const [changes, setChanges] = useState(0);
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const events = useMemo<TokenEvents>(
    () => ({ onCreated: setNewToken, onChanged: () => setChanges((count) => count + 1) }),
    [],
  );
  const { path } = usePlace();
  const openPalette = () => setOpened('palette');
  const openKeys = () => setOpened('keys');
  const close = () => setOpened(undefined);
  useKeys(allowed, { onPalette: openPalette, onKeys: openKeys });

  return (
    <TokenEventsContext.Provider value={events}>
      <div class="shell">
        <Sidebar sections={allowed} onPalette={openPalette} />
        <main tabIndex={-1}>
          {!isBannerDismissed && REMINDING.includes(path) && may(token, 'admin') && (
            <BootstrapBanner
              key={`${changes} ${token.id}`}
              onDismiss={() => {
                setIsBannerDismissed(true);
                focusHeading();
              }}
            />
          )}
          <ExpiryBanner key={changes} />
          <CurrentPage sections={sections} />
        </main>
      </div>
      {opened === 'palette' && <Palette sections={allowed} onKeys={openKeys} onClose={close} />}
      {opened === 'keys' && <KeysDialog onClose={close} />}
      {newToken && <NewTokenDialog token={newToken} onClose={() => setNewToken(undefined)} />}
    </TokenEventsContext.Provider>
  );
}
