import { useEffect, useMemo, useState } from 'preact/hooks';
import type { NewToken } from '../../client/index.ts';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
import { BootstrapBanner } from '../tokens/token/bootstrap-banner.tsx';
import { ExpiryBanner } from '../tokens/token/expiry-banner.tsx';
import { NewTokenDialog } from '../tokens/token/new-token-dialog.tsx';
import { type TokenEvents, TokenEventsContext } from '../tokens/token/token-events.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { CurrentPage } from './current-page.tsx';
import { Palette } from './palette.tsx';
import type { Section } from './section.ts';
import { Sidebar } from './sidebar.tsx';

/** The frame around every page of a signed-in user. */
export function Shell({ sections }: { sections: Section[] }) {
  const { token } = useSession();
  const allowed = sections.filter(({ scope }) => may(token, scope));
  // Kept here, not in a page, because a new token's value must survive a change of page.
  const [newToken, setNewToken] = useState<NewToken>();
  const [isBannerDismissed, setIsBannerDismissed] = useState(false);
  const [changes, setChanges] = useState(0);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const events = useMemo<TokenEvents>(
    () => ({ onCreated: setNewToken, onChanged: () => setChanges((count) => count + 1) }),
    [],
  );
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isShortcut || event.shiftKey || event.altKey) return;
      event.preventDefault(); // browsers go to their search field
      if (!document.querySelector('dialog[open]')) setIsPaletteOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);

  return (
    <TokenEventsContext.Provider value={events}>
      <div class="shell">
        <Sidebar sections={allowed} onPalette={() => setIsPaletteOpen(true)} />
        <main tabIndex={-1}>
          {!isBannerDismissed && may(token, 'admin') && (
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
      {isPaletteOpen && <Palette sections={allowed} onClose={() => setIsPaletteOpen(false)} />}
      {newToken && <NewTokenDialog token={newToken} onClose={() => setNewToken(undefined)} />}
    </TokenEventsContext.Provider>
  );
}
