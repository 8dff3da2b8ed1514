import { useEffect, useState } from 'preact/hooks';
import type { NewToken } from '../client/index.ts';
import { ActivityPage } from './activity/activity-page.tsx';
import { DeletedPage } from './deleted/deleted-page.tsx';
import { RateLimitMeter } from './rate-limit-meter.tsx';
import { useSession } from './session.ts';
import { BootstrapBanner } from './tokens/bootstrap-banner.tsx';
import { NewTokenDialog } from './tokens/new-token-dialog.tsx';
import { TokensPage } from './tokens/tokens-page.tsx';
import { ExpiryBanner } from './tokens/expiry-banner.tsx';
import { focusHeading } from './ui/dialog.tsx';
import { Mark } from './ui/mark.tsx';
import { UsersPage } from './users/users-page.tsx';

const SECTIONS = [
  ['#tokens', 'API tokens'],
  ['#users', 'Users'],
  ['#deleted', 'Deleted'],
  ['#activity', 'Activity'],
] as const;

const sectionOf = (hash: string) => SECTIONS.find(([section]) => section === hash)?.[0] ?? '#tokens';

/** The page of a signed-in user. */
export function Shell() {
  const { token, end } = useSession();
  const [section, setSection] = useState(() => sectionOf(location.hash));
  // Kept here, not in the section, because a new token's value must survive a change of section.
  const [newToken, setNewToken] = useState<NewToken>();
  const [isBannerDismissed, setIsBannerDismissed] = useState(false);
  const [endings, setEndings] = useState(0);
  useEffect(focusHeading, []); // the form that had the focus is gone
  useEffect(() => {
    const follow = () => setSection(sectionOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  return (
    <>
      <header class="top">
        <div class="bar">
          <Mark />
          <nav aria-label="Sections">
            {SECTIONS.map(([hash, title]) => (
              <a key={hash} href={hash} aria-current={section === hash ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
          <RateLimitMeter />
          <span class="who" title={`Signed in with the token ${token.hint}`}>
            <span class="unseen">Signed in with </span>
            {token.name}
          </span>
          <button type="button" onClick={() => end('signed-out')}>
            Sign out
          </button>
        </div>
      </header>
      <main>
        {!isBannerDismissed && (
          <BootstrapBanner
            key={endings}
            onDismiss={() => {
              setIsBannerDismissed(true);
              focusHeading();
            }}
          />
        )}
        <ExpiryBanner />
        {section === '#tokens' && (
          <TokensPage onCreated={setNewToken} onEnded={() => setEndings((count) => count + 1)} />
        )}
        {section === '#users' && <UsersPage />}
        {section === '#deleted' && <DeletedPage />}
        {section === '#activity' && <ActivityPage />}
      </main>
      {newToken && <NewTokenDialog token={newToken} onClose={() => setNewToken(undefined)} />}
    </>
  );
}
